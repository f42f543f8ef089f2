import { setTimeout } from "node:timers/promises";
import { Node } from "../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { valueAt } from "../../shared/api/path.ts";
import { round } from "./capstan-process.ts";
import {
  beatNodes,
  createChecks,
  createNodes,
  deleteNodes,
  type Fleet,
  failingIn,
  failNodes,
  healNodes,
  labelsOf,
  limitChecks,
  untilCounted,
} from "./checked-fleet.ts";
import { countBy } from "./function-requests.ts";
import {
  costOf,
  type MachineCost,
  type ManagedWorld,
  type ManagerName,
  requestText,
  startManaged,
} from "./machine-managers.ts";
import { createMachine, isMachineRunning, isNodeMarked, prepareMachine } from "./ready-machines.ts";
import { sideBySide } from "./ready-pools.ts";
import { loadNow } from "./rounds.ts";
import { untilAll } from "./until.ts";

/** A manager that has made its Machines Running. */
export interface Contender {
  readonly name: ManagerName;
  readonly fleet: Fleet;
  readonly managed: ManagedWorld;
}

/** Costs of one phase; those of `cost` are per Machine. */
export interface PhaseRow {
  readonly phase: string;
  readonly manager: ManagerName;
  /** That change in this phase. */
  readonly machines: number;
  readonly cost: MachineCost;
  readonly cpuSeconds: number;
  /** From the moment of a Machine, or its timeout, to its HealthCheckSucceeded: that of the last Machine. */
  readonly verdictSeconds: number;
  /** The same to its OwnerRemediated; absent where nothing may be handed over. */
  readonly handOverSeconds?: number;
  /** Of the Machines that have changed. */
  readonly handedOver: number;
  readonly residentMiB: number;
  readonly peakMiB: number;
  readonly load: number;
  /** Without probes of a server, which ask for no resource. */
  readonly requestsByVerb: { readonly [verbAndResource: string]: number };
  /** Of Capstan's functions. */
  readonly runs: { readonly [name: string]: number };
}

/** Nothing may follow for longer than calm takes, and than Cluster API's manager waits between two looks at a check. */
const WATCHED_MS = 20_000;
const BEATS_MS = 10_000;

/**
 * Starts a manager whose Machines are Running. Cluster API's looks at everything again every 10 minutes: once in two
 * hours, so that it does not do so while the other one is measured.
 */
export async function startContender(name: ManagerName, fleet: Fleet): Promise<Contender> {
  const extent = { functions: ["mhc-*"], flags: ["--sync-period=2h"] };
  const managed = await startManaged(
    name,
    [fleet.cluster],
    (client) => sideBySide(fleet.machines, (machine) => prepareMachine(client, machine)),
    extent,
  );
  try {
    const { client } = managed.world;
    const made = sideBySide(fleet.machines, (machine, at) =>
      createMachine(client, machine, fleet.cluster, labelsOf(fleet, at)),
    );
    await untilAll(client, Machine as Kind, fleet.machines.length, isMachineRunning);
    await made;
    await untilAll(client, Node as Kind, fleet.machines.length, isNodeMarked);
    await setTimeout(WATCHED_MS / 2);
  } catch (error) {
    await managed[Symbol.asyncDispose]();
    throw error;
  }
  return { name, fleet, managed };
}

/** The health checks are created: every Machine gets its first verdict. */
export async function appear({ name, fleet, managed }: Contender): Promise<readonly PhaseRow[]> {
  const { client } = managed.world;
  const row = await measure({ name, managed }, "checks appear", fleet.machines, async () => {
    const startedAtMs = Date.now();
    const judged = untilAll(client, Machine as Kind, fleet.machines.length, hasHealth("True"));
    await createChecks(client, fleet);
    const seen = await judged;
    await untilCounted(client, fleet, fleet.machines.length);
    return { verdictSeconds: lastAfter(seen, new Map(fleet.machines.map((each) => [each, startedAtMs]))) };
  });
  return [row];
}

/** Nodes fail and are Ready again, while the limit allows that many. */
export async function failAndRecover(
  { name, fleet, managed }: Contender,
  { nth, limit }: { readonly nth: number; readonly limit: string | undefined },
): Promise<readonly PhaseRow[]> {
  const { client } = managed.world;
  const names = failingIn(fleet, nth);
  const what = limit ?? "no limit";
  if (limit !== undefined) await changeLimit(client, fleet, limit);
  const failed = await measure({ name, managed }, `failing, ${what}`, names, async () => {
    const judged = untilThese(client, names, hasHealth("False"));
    const handed = untilThese(client, names, isHandedOver);
    const since = await failNodes(client, names);
    const [verdictSeconds, handOverSeconds] = [
      lastAfter(await judged, since),
      lastAfter(await handed, since),
    ];
    await untilCounted(client, fleet, fleet.machines.length - names.length);
    return { verdictSeconds, handOverSeconds };
  });
  const recovered = await measure({ name, managed }, `recovered, ${what}`, names, async () => {
    return { verdictSeconds: await untilHealthy(client, fleet, names, healNodes) };
  });
  return [failed, recovered];
}

/** More Nodes vanish than the limit allows, and all of them return: nothing may be handed over. */
export async function vanishAndReturn(
  { name, fleet, managed }: Contender,
  { nth, limit }: { readonly nth: number; readonly limit: string },
): Promise<readonly PhaseRow[]> {
  const { client } = managed.world;
  const names = failingIn(fleet, nth);
  await changeLimit(client, fleet, limit);
  const gone = await measure({ name, managed }, `gone, ${limit}`, names, async () => {
    const judged = untilThese(client, names, hasHealth("False"));
    const since = await deleteNodes(client, names);
    const verdictSeconds = lastAfter(await judged, since);
    await untilCounted(client, fleet, fleet.machines.length - names.length);
    await setTimeout(WATCHED_MS);
    return { verdictSeconds };
  });
  const back = await measure({ name, managed }, `returned, ${limit}`, names, async () => {
    const verdictSeconds = await untilHealthy(client, fleet, names, createNodes);
    await setTimeout(WATCHED_MS);
    return { verdictSeconds };
  });
  return [gone, back];
}

/** Every Node says once that it is alive, and nothing else happens. */
export async function beat({ name, fleet, managed }: Contender): Promise<readonly PhaseRow[]> {
  const row = await measure({ name, managed }, "heartbeats", fleet.machines, async () => {
    await beatNodes(managed.world.client, fleet.machines, BEATS_MS);
    return { verdictSeconds: 0 };
  });
  return [row];
}

type Client = ManagedWorld["world"]["client"];

async function changeLimit(client: Client, fleet: Fleet, limit: string): Promise<void> {
  await limitChecks(client, fleet, limit);
  await setTimeout(WATCHED_MS / 2);
}

/** Seconds until the last of these Machines is healthy, once each of their Nodes has been changed. */
async function untilHealthy(
  client: Client,
  fleet: Fleet,
  names: readonly string[],
  change: (client: Client, names: readonly string[]) => Promise<ReadonlyMap<string, number>>,
): Promise<number> {
  const judged = untilThese(client, names, hasHealth("True"));
  const since = await change(client, names);
  const seconds = lastAfter(await judged, since);
  await untilCounted(client, fleet, fleet.machines.length);
  return seconds;
}

async function measure(
  { name, managed }: Pick<Contender, "name" | "managed">,
  phase: string,
  machines: readonly string[],
  work: () => Promise<Pick<PhaseRow, "verdictSeconds" | "handOverSeconds">>,
): Promise<PhaseRow> {
  const jobsBefore = await managed.jobs();
  const moments: Pick<PhaseRow, "verdictSeconds" | "handOverSeconds">[] = [];
  const { cost, requests } = await costOf(managed, machines.length, async () => {
    moments.push(await work());
    return undefined;
  });
  const { residentMiB, peakMiB } = await managed.usage();
  const [seen = { verdictSeconds: Number.NaN }] = moments;
  return {
    ...{ phase, manager: name, machines: machines.length, cost, ...seen },
    cpuSeconds: round((cost.cpuMsEach * machines.length) / 1_000, 1),
    handedOver: await countHandedOver(managed.world.client, machines),
    ...{ residentMiB, peakMiB, load: loadNow() },
    requestsByVerb: countBy(
      requests.filter(({ resource }) => resource !== ""),
      requestText,
    ),
    runs: differences(jobsBefore, await managed.jobs()),
  };
}

async function countHandedOver(client: Client, names: readonly string[]): Promise<number> {
  const { items } = await client.list(Machine as Kind, {});
  const meant = new Set(names);
  return items.filter((machine) => meant.has(machine.metadata.name) && isHandedOver(machine)).length;
}

/** Returns by how much each count has grown; those that have not are left out. */
export function differences(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): { readonly [name: string]: number } {
  const all = [...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(all.filter(([, count]) => count > 0));
}

function untilThese(client: Client, names: readonly string[], isWanted: (machine: KubeObject) => boolean) {
  const meant = new Set(names);
  return untilAll(
    client,
    Machine as Kind,
    meant.size,
    (machine) => meant.has(machine.metadata.name) && isWanted(machine),
  );
}

/** Seconds of the Machine that took longest, each from its own moment. */
function lastAfter(seen: ReadonlyMap<string, number>, since: ReadonlyMap<string, number>): number {
  const delaysMs = [...since].map(([name, atMs]) => (seen.get(name) ?? Number.NaN) - atMs);
  return round(delaysMs.reduce((a, b) => Math.max(a, b)) / 1_000, 1);
}

/** Whether the check of a Machine has this status. */
export function hasHealth(status: "True" | "False"): (machine: KubeObject) => boolean {
  return (machine) => valueAt(machine, "status.conditions[HealthCheckSucceeded].status") === status;
}

function isHandedOver(machine: KubeObject): boolean {
  return valueAt(machine, "status.conditions[OwnerRemediated]") !== undefined;
}
