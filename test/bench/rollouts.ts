import { formatTable } from "../../infra/platform/terminal/table.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { MachineDeployment } from "../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import type { World } from "./capstan-process.ts";
import { countBy, ofFunctions } from "./function-requests.ts";
import {
  availableManagers,
  costOf,
  type MachineCost,
  type ManagerName,
  requestText,
  startManaged,
} from "./machine-managers.ts";
import { createDeployment, startProvider } from "./ready-machines.ts";
import { writeResults } from "./results.ts";
import { inTurn, progress } from "./rounds.ts";
import { formatShares, limit, type Share, share } from "./shares.ts";
import { untilAll } from "./until.ts";

interface Load {
  readonly machines: number;
  readonly maxSurge: number;
}

const LOADS: readonly Load[] = [
  { machines: 10, maxSurge: 1 },
  { machines: 1_000, maxSurge: 10 },
];
/** Of ten Machines, one by one. */
const WRITES_EACH = 25;
const REQUESTS = 0.5;
const CPU = 0.5;

interface Row extends Load {
  readonly manager: ManagerName;
  /** Per Machine that was replaced. */
  readonly cost: MachineCost;
  /** `patch machines`, of Capstan with the function before it. */
  readonly requestsByVerb: { readonly [verbAndResource: string]: number };
}

/**
 * A MachineDeployment whose version changes, from the edit until all its Machines are of the new template: its provider
 * makes every infrastructure machine and Node ready at once, and there is no bootstrap config. Capstan and Cluster API's
 * manager one after the other. Numbers of Machines as arguments: these alone, with a surge of 10 where none is known.
 */
export async function rolloutsBench(): Promise<void> {
  const managers = availableManagers();
  const wanted = process.argv.slice(3).map(Number);
  const known = (machines: number) => LOADS.find((load) => load.machines === machines);
  const loads =
    wanted.length === 0 ? LOADS : wanted.map((machines) => known(machines) ?? { machines, maxSurge: 10 });
  const rows: Row[] = [];
  for (const [round, load] of loads.entries()) {
    for (const manager of inTurn(managers, round)) {
      progress(`${manager}: ${load.machines} Machines, surge ${load.maxSurge}`);
      rows.push(await measure(manager, load));
    }
  }
  for (const { manager, machines, requestsByVerb } of rows)
    console.log(`${manager}, ${machines} Machines:`, requestsByVerb);
  console.log(formatTable(HEADER, rows.map(cellsOf)));
  const shares = loads.flatMap((load) => sharesOf(load, rows));
  console.log(formatShares(shares));
  if (wanted.length === 0) await writeResults("rollouts", { rows, shares });
}

async function measure(manager: ManagerName, load: Load): Promise<Row> {
  const { machines } = load;
  await using managed = await startManaged(manager, ["bench-0"], async () => undefined, {
    functions: ["machinedeployment-*"],
  });
  const { client } = managed.world;
  using _ = startProvider(client, { hasConfigs: false });
  await createDeployment(client, "web", "bench-0", load);
  await untilRolledOut(client, machines, "v1.34.2");
  const { cost, requests } = await costOf(managed, machines, async () => {
    await edit(client, "v1.34.3");
    await untilRolledOut(client, machines, "v1.34.3");
    return undefined;
  });
  const requestsByVerb =
    manager === "capstan"
      ? countBy(ofFunctions(requests), ({ by, verb, resource }) => `${by}: ${verb} ${resource}`)
      : countBy(requests, requestText);
  return { manager, ...load, cost, requestsByVerb };
}

async function edit(client: World["client"], value: string): Promise<void> {
  const operation = { op: "replace", path: "/spec/template/spec/version", value } as const;
  await client.jsonPatch(MachineDeployment as Kind, { namespace: "default", name: "web" }, [operation]);
}

/** Once the set of this version has all Machines, and the deployment no others. */
async function untilRolledOut(client: KubeClient, machines: number, version: string): Promise<void> {
  await untilAll(client, MachineSet as Kind, 1, (object) => {
    const { spec, status } = object as MachineSet;
    return spec.template.spec.version === version && status?.availableReplicas === machines;
  });
  await untilAll(client, MachineDeployment as Kind, 1, (object) => {
    const { status } = object as MachineDeployment;
    return [status?.replicas, status?.upToDateReplicas].every((count) => count === machines);
  });
}

function sharesOf({ machines, maxSurge }: Load, rows: readonly Row[]): readonly Share[] {
  const costOfManager = (name: ManagerName) =>
    rows.find((row) => row.manager === name && row.machines === machines)?.cost;
  const [own, other] = [costOfManager("capstan"), costOfManager("cluster-api")];
  if (own === undefined) return [];
  const load = `${machines} Machines, surge ${maxSurge}`;
  if (maxSurge === 1)
    return [limit(load, "rolled out, writes each", [own.writesEach, other?.writesEach], WRITES_EACH)];
  return [
    share(load, "rolled out, requests each", [own.requestsEach, other?.requestsEach], REQUESTS),
    share(load, "rolled out, CPU ms each", [own.cpuMsEach, other?.cpuMsEach], CPU),
    share(load, "rolled out, s", [own.seconds, other?.seconds], 1),
  ];
}

const HEADER = ["MANAGER", "MACHINES", "SURGE", "SECONDS", "REQUESTS", "WRITES", "EVENTS", "CPU ms"];

function cellsOf({ manager, machines, maxSurge, cost }: Row): readonly string[] {
  return [manager, machines, maxSurge, ...Object.values(cost)].map(String);
}
