import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../../infra/platform/clock.ts";
import { SimCluster } from "../../../infra/playground/api/sim-cluster.ts";
import { SimMachinePool } from "../../../infra/playground/api/sim-machinepool.ts";
import type { LifeOptions, Stage } from "../../../infra/providers/contract/probe/manifest.ts";
import { openScratch, type Scratch } from "../../../infra/providers/contract/probe/scratch.ts";
import { Watcher } from "../../../infra/providers/contract/probe/watcher.ts";
import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { apiVersionOf, type Kind, type KubeObject, type ObjectMeta } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { ensureNamespace, startSide, type TestSide } from "../management-side.ts";
import { EMBEDDED, type ServerFlavour } from "../processes/api-servers.ts";

const NAMESPACE = "probe";

interface Content {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: object;
  readonly status?: object;
}

/** A namespace on a server with the CRDs of core and of the simulated provider, where no controller runs. */
export interface TestScratch extends AsyncDisposable {
  readonly side: TestSide;
  readonly scratch: Scratch;
  /** With the kinds that were installed since. */
  reopened(): Promise<Scratch>;
  /** Creates an object, and its status. */
  add<T extends KubeObject>(kind: Kind<T>, name: string, content?: Content): Promise<KubeObject>;
  /** Changes an object, as its controller does. */
  write<T extends KubeObject>(
    kind: Kind<T>,
    name: string,
    operations: readonly PatchOperation[],
    subresource?: "status",
  ): Promise<KubeObject>;
}

export async function startScratch(flavour: ServerFlavour = EMBEDDED): Promise<TestScratch> {
  const side = await startSide(flavour);
  const { server, client } = side;
  await ensureNamespace(client, NAMESPACE);
  const scratchOf = () => openScratch(server, { namespace: NAMESPACE, clock: systemClock, named: new Map() });
  const write: TestScratch["write"] = (kind, name, operations, subresource) =>
    client.jsonPatch(kind as unknown as Kind, { namespace: NAMESPACE, name }, operations, subresource);
  return {
    side,
    scratch: await scratchOf(),
    reopened: scratchOf,
    async add<T extends KubeObject>(
      kind: Kind<T>,
      name: string,
      { metadata = {}, spec = {}, status }: Content = {},
    ) {
      const own = { ...metadata, name, namespace: NAMESPACE };
      const object: unknown = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: own, spec };
      const created = await client.create(kind, object as T);
      return status === undefined
        ? created
        : write(kind, name, [{ op: "add", path: "/status", value: status }], "status");
    },
    write,
    [Symbol.asyncDispose]: () => side[Symbol.asyncDispose](),
  };
}

/** A stage on which short waits are enough. */
export function stageOn(
  scratch: Scratch,
  { manifest = [], provisioned = new Map(), ...more }: Partial<Stage & LifeOptions> = {},
): Stage {
  const signal = new AbortController().signal;
  const common = { limitMs: 60_000, restMs: 400, mutation: undefined, note: () => undefined, signal };
  const options: LifeOptions = { ...common, ...more };
  const watcher = new Watcher(scratch, options);
  return { scratch, options, watcher, manifest, provisioned, quiet: () => watcher.quiet() };
}

/** Acts again and again until it is disposed, as a controller does. */
export function acting(act: () => Promise<void>): AsyncDisposable {
  const stop = new AbortController();
  const running = (async () => {
    while (!stop.signal.aborted) {
      // A race that it has lost is for the next run.
      await act().catch(() => undefined);
      await sleep(10);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

export const INFRA_REF = { apiGroup: "infrastructure.sim.capstan.dev", kind: "SimCluster", name: "c1" };
/** References of a Machine of the simulated provider. */
export const REFS = {
  bootstrap: { dataSecretName: "m1" },
  infrastructureRef: { apiGroup: "infrastructure.sim.capstan.dev", kind: "SimMachine", name: "m1" },
};
export const MACHINE_TEMPLATE = {
  spec: {
    bootstrap: {
      configRef: { apiGroup: "bootstrap.sim.capstan.dev", kind: "SimBootstrapConfigTemplate", name: "t" },
    },
    infrastructureRef: { ...REFS.infrastructureRef, kind: "SimMachineTemplate", name: "t" },
  },
};

/** Cluster c1 and its SimCluster. */
export async function addCluster({ add }: TestScratch, spec: object = {}, status?: object): Promise<void> {
  await add(Cluster, "c1", { spec: { infrastructureRef: INFRA_REF } });
  await add(SimCluster, "c1", { spec, ...(status === undefined ? {} : { status }) });
}

/** Cluster c1 with MachinePool and SimMachinePool p1. */
export async function addPool(world: TestScratch): Promise<void> {
  await addCluster(world);
  const infrastructureRef = { ...INFRA_REF, kind: "SimMachinePool", name: "p1" };
  const template = { spec: { clusterName: "c1", bootstrap: { dataSecretName: "d" }, infrastructureRef } };
  await world.add(MachinePool, "p1", { spec: { clusterName: "c1", replicas: 1, template } });
  await world.add(SimMachinePool, "p1");
}
