import { describe, expect, it } from "vitest";
import { machinepoolGuard } from "../../../../functions/machinepool/guard.ts";
import { machinepoolStatus } from "../../../../functions/machinepool/status.ts";
import { machinepoolSync } from "../../../../functions/machinepool/sync.ts";
import {
  dependencyOf,
  explainStep,
  withoutLiveReads,
} from "../../../../infra/operate/explain/explain-step.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { Node } from "../../../../shared/api/core.ts";
import { groupOf, type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../../shared/function/define-function.ts";
import type { RecordedRead } from "../../../../shared/runtime/attempt-record.ts";
import type { Clients, Store } from "../../../../shared/runtime/ports.ts";
import {
  bootstrapConfig,
  cluster,
  FOO_CRDS,
  infraMachinePool,
  machinePool,
  node,
} from "../../../support/builders.ts";
import { virtualClock } from "../../../support/clock.ts";
import { evictor, pod } from "../../../support/evictor.ts";
import { recordingClients } from "../../../support/recording-clients.ts";

const KEY = "default/c1|MachinePool|default/p1";
/** Explaining must neither need nor send a live request here. */
const NO_CLIENTS: Clients = { of: () => ({}) as ReturnType<Clients["of"]> };

async function holding(...objects: readonly KubeObject[]): Promise<Store> {
  const store = createMemoryStore();
  for (const object of [...FOO_CRDS, ...objects]) {
    const type = { cluster: MANAGEMENT, group: groupOf(object.apiVersion), kind: object.kind };
    await store.put(type, [{ ...object, metadata: { resourceVersion: "1", uid: "u", ...object.metadata } }]);
    await store.advance(type, { ready: true, resourceVersion: "1" });
  }
  await store.advance(
    { cluster: MANAGEMENT, group: Cluster.group, kind: "Cluster" },
    { ready: true, resourceVersion: "1" },
  );
  return store;
}

async function explained(fn: AnyFunction, pool: KubeObject, ...others: readonly KubeObject[]) {
  await using store = await holding(pool, ...others);
  return await explainStep(
    fn,
    { key: KEY, object: pool },
    { store, clients: NO_CLIENTS, clock: virtualClock() },
  );
}

describe("what a function would do now", () => {
  it("names the Pods that it would evict, and evicts none", async () => {
    await using store = await holding(machinePool());
    const clients = recordingClients(undefined, [pod("a"), pod("b")]);
    const now = await explainStep(
      evictor(),
      { key: KEY, object: machinePool() },
      { store, clients, clock: virtualClock() },
    );
    expect(now.wouldSend).toEqual(["evict Pod default/a", "evict Pod default/b"]);
    expect(clients.sent).toEqual([]);
  });

  it("says that the result is not known where a snapshot that it read is old, and not what it would do by it", async () => {
    await using store = await holding(machinePool());
    const old = async (kind: string) => {
      const silence = { message: "silent; start it" };
      const silenceOf = (type: { readonly kind: string }) => (type.kind === kind ? silence : undefined);
      const freshness = { silences: [silence], silenceOf };
      const at = { key: KEY, object: machinePool() };
      const model = { store, clients: NO_CLIENTS, clock: virtualClock(), freshness };
      return (await explainStep(machinepoolSync, at, model)).old;
    };
    for (const kind of ["MachinePool", "Cluster"]) expect(await old(kind)).toBe("silent; start it");
    expect(await old("Machine")).toBeUndefined();
  });

  it("says which live read it depends on where none is made", async () => {
    await using store = await holding(machinePool());
    const now = await explainStep(
      evictor(),
      { key: KEY, object: machinePool() },
      { store, clients: withoutLiveReads(), clock: virtualClock() },
    );
    expect(now).toEqual({
      wouldSend: [],
      notRead: expect.stringContaining("it depends on each Pod, which is"),
    });
  });

  it("names the missing object, or the field of the object, that it waits for", async () => {
    expect(await explained(machinepoolSync, machinePool())).toEqual({
      wouldSend: [],
      waitsFor: { what: "Cluster.metadata.uid", object: "Cluster default/c1", field: "metadata.uid" },
    });
    const paused = cluster({ spec: { paused: true } });
    expect(await explained(machinepoolSync, machinePool(), paused)).toMatchObject({
      waitsFor: { object: "Cluster default/c1", field: "spec.paused", value: true },
    });
  });

  it("finds the provider object behind a contract", async () => {
    const pool = machinePool({
      spec: { template: { spec: { bootstrap: { dataSecretName: undefined } } } },
    });
    const notReady = bootstrapConfig({ status: { initialization: { dataSecretCreated: false } } });
    const reported = await explained(machinepoolSync, pool, cluster(), notReady, infraMachinePool());
    expect(reported.waitsFor).toEqual({
      what: "BootstrapConfig.status.initialization.dataSecretCreated",
      object: `${notReady.kind} default/${notReady.metadata.name}`,
      field: "status.initialization.dataSecretCreated",
      value: false,
    });
  });

  it("lists the requests that it would send, and sends none", async () => {
    const pool = machinePool({ metadata: { finalizers: [] } });
    const { wouldSend } = await explained(machinepoolGuard, pool, cluster());
    expect(wouldSend).toEqual(["patch MachinePool default/p1"]);
  });

  it("says when the read model does not hold everything yet", async () => {
    await using store = createMemoryStore();
    const reported = await explainStep(
      machinepoolSync,
      { key: KEY, object: machinePool() },
      { store, clients: NO_CLIENTS, clock: virtualClock() },
    );
    expect(reported).toMatchObject({
      wouldSend: [],
      notListed: true,
      why: expect.stringContaining("the list of "),
    });
  });
});

describe("a dependency", () => {
  it("keeps its text when nothing that was read has that name", () => {
    const scene = { fn: machinepoolSync, object: machinePool(), reads: [] };
    expect(dependencyOf("SimServer deleted", scene)).toEqual({ what: "SimServer deleted" });
    expect(dependencyOf("MachinePool.spec.replicas", scene)).toMatchObject({
      object: "MachinePool default/p1",
      value: 3,
    });
  });

  it("is the object that it names, among many of its kind or not there", () => {
    const nodes = [node("n1"), node("n2", { status: { conditions: [{ type: "Ready", status: "False" }] } })];
    const question = { kind: Node, selection: {} };
    const reads = [
      { question, answer: { type: "list", items: nodes } },
    ] as unknown as readonly RecordedRead[];
    const scene = { fn: machinepoolStatus, object: machinePool(), reads };
    expect(dependencyOf("Node.status.conditions[Ready].status of n2", scene)).toMatchObject({
      object: "Node n2",
      value: "False",
    });
    expect(dependencyOf("Node.metadata.uid of foo://n3", scene)).toEqual({
      what: "Node.metadata.uid of foo://n3",
      object: "Node foo://n3",
      field: "metadata.uid",
    });
    expect(dependencyOf("MachinePool.spec.providerIDList", scene).value).toBe("a list of 3");
    const going = node("n4", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
    const seen = [
      { question, answer: { type: "list", items: [going] } },
    ] as unknown as readonly RecordedRead[];
    expect(dependencyOf("Node.metadata.uid of n4", { ...scene, reads: seen })).toMatchObject({
      isGoing: true,
    });
  });
});
