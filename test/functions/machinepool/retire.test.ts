import { describe, expect, it } from "vitest";
import { machinepoolRetire } from "../../../functions/machinepool/retire.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import {
  cluster,
  connection,
  infraMachinePool,
  machinePool,
  node,
  type Overrides,
  OWNED_BY_P1,
} from "../../support/builders.ts";
import { decide, given } from "../../support/world.ts";

const REFS = ["n1", "n2", "n3"].map((name) => ({ apiVersion: "v1", kind: "Node", name, uid: `uid-${name}` }));
const SHRUNK = ["foo://1", "foo://2"];
const NODES = [node("n1"), node("n2"), node("n3")];

/** A pool whose third instance has left both lists, while its Node is still there. */
function shrunk(overrides: Overrides<MachinePool> = {}): MachinePool {
  const { spec, ...rest } = overrides;
  return machinePool({
    status: { nodeRefs: REFS },
    ...rest,
    spec: { replicas: 2, providerIDList: SHRUNK, ...spec },
  });
}
const INFRA = infraMachinePool({ spec: { providerIDList: SHRUNK }, status: { replicas: 2 } });

function world(...objects: readonly KubeObject[]) {
  return given(cluster(), connection(), ...objects).inWorkload("default/c1", ...NODES);
}
async function deleted(from: ReturnType<typeof given>) {
  return (await decide(machinepoolRetire, from, "p1")).delete?.map(({ target }) => target) ?? [];
}

describe("machinepool-retire", () => {
  it("deletes the Node whose instance has left, by the uid and version it has live", async () => {
    const newer = node("n3", { metadata: { resourceVersion: "51" } });
    const from = world(shrunk(), INFRA).live(newer, "default/c1");
    expect(await deleted(from)).toMatchObject([
      { cluster: "default/c1", name: "n3", uid: "uid-n3", resourceVersion: "51" },
    ]);
  });

  it("S-32: leaves the Nodes of another Cluster alone, with the same names and provider IDs", async () => {
    const twins = NODES.map(({ metadata: { name } }) => node(name, { metadata: { uid: `twin-${name}` } }));
    const from = world(
      shrunk(),
      INFRA,
      cluster({ metadata: { name: "c2" } }),
      connection({ metadata: { name: "c2" } }),
    );
    expect(await deleted(from.inWorkload("default/c2", ...twins))).toMatchObject([
      { cluster: "default/c1", name: "n3", uid: "uid-n3" },
    ]);
    const only = given(cluster(), connection(), shrunk(), INFRA).inWorkload("default/c2", ...twins);
    expect(await deleted(only)).toEqual([]);
  });

  it("deletes 500 Nodes of a large pool at a time, and says that there are more", async () => {
    const nodes = Array.from({ length: 501 }, (_, at) =>
      node(`m${at}`, { spec: { providerID: `foo://m${at}` } }),
    );
    const nodeRefs = nodes.map(({ metadata: { name, uid } }) => ({
      apiVersion: "v1",
      kind: "Node",
      name,
      uid,
    }));
    const from = given(cluster(), connection(), shrunk({ status: { nodeRefs } }), INFRA);
    const decision = await decide(machinepoolRetire, from.inWorkload("default/c1", ...nodes), "p1");
    expect(decision.delete).toHaveLength(500);
    expect(decision.result).toEqual(requeueAfter(SECOND, "more Nodes to retire"));
  });

  it("leaves a Node alone that is being deleted already", async () => {
    const going = node("n3", { metadata: { deletionTimestamp: "2026-01-01T12:00:00Z" } });
    const from = given(cluster(), connection(), shrunk(), INFRA).inWorkload(
      "default/c1",
      ...NODES.slice(0, 2),
      going,
    );
    expect(await deleted(from)).toEqual([]);
  });

  it("reads nothing live while no Node has left", async () => {
    const pool = machinePool({ status: { nodeRefs: REFS } });
    expect(await decide(machinepoolRetire, world(pool, infraMachinePool()))).toEqual({ result: done });
  });

  it("keeps the Node when the infrastructure object lists it again", async () => {
    expect(await deleted(world(shrunk(), INFRA).live(infraMachinePool()))).toEqual([]);
  });

  it("keeps the Node when the pool lists it again, live", async () => {
    const back = shrunk({ spec: { replicas: 3, providerIDList: [...SHRUNK, "foo://3"] } });
    expect(await deleted(world(shrunk(), INFRA).live(back))).toEqual([]);
  });

  it("keeps all Nodes when the list is empty and replicas are wanted", async () => {
    const cleared = shrunk({ spec: { replicas: 3, providerIDList: [] } });
    expect(await deleted(world(cleared, infraMachinePool({ spec: { providerIDList: [] } })))).toEqual([]);
  });

  it("keeps all Nodes when the list is empty and replicas are not set", async () => {
    const cleared = shrunk({ spec: { replicas: undefined, providerIDList: [] } });
    expect(await deleted(world(cleared, infraMachinePool({ spec: { providerIDList: [] } })))).toEqual([]);
  });

  it("deletes all referenced Nodes when the pool wants exactly zero replicas", async () => {
    const empty = shrunk({ spec: { replicas: 0, providerIDList: [] } });
    const none = infraMachinePool({ spec: { providerIDList: [] }, status: { replicas: 0 } });
    expect((await deleted(world(empty, none))).map(({ name }) => name)).toEqual(["n1", "n2", "n3"]);
  });

  it("never deletes a Node without provider ID or one that no ref names", async () => {
    const unknown = shrunk({ status: { nodeRefs: REFS.slice(0, 2) } });
    expect(await deleted(world(unknown, INFRA))).toEqual([]);
    const nameless = node("n3", { spec: { providerID: undefined } });
    const from = world(shrunk(), INFRA).inWorkload("default/c1", nameless);
    expect(await deleted(from)).toEqual([]);
  });

  it("never deletes a Node that was created again under the name of a ref", async () => {
    const recreated = node("n3", { metadata: { uid: "uid-new" } });
    expect(await deleted(world(shrunk(), INFRA).live(recreated, "default/c1"))).toEqual([]);
  });

  it("never deletes on the word of an infrastructure object that another controls", async () => {
    const foreign = infraMachinePool({
      metadata: { ownerReferences: [{ ...OWNED_BY_P1, name: "p2", uid: "uid-p2" }] },
      spec: { providerIDList: SHRUNK },
    });
    expect(await deleted(world(shrunk(), foreign))).toEqual([]);
  });

  it("keeps a Node that another pool lists, also when only the API server knows it yet", async () => {
    const other = machinePool({
      metadata: { name: "p2", uid: "uid-p2" },
      spec: { providerIDList: ["foo://3"] },
    });
    expect(await deleted(world(shrunk(), INFRA, other))).toEqual([]);
    expect(await deleted(world(shrunk(), INFRA).live(other))).toEqual([]);
  });

  it("deletes nothing after a pause that only the API server knows yet", async () => {
    expect(await deleted(world(shrunk(), INFRA).live(cluster({ spec: { paused: true } })))).toEqual([]);
  });

  it("deletes nothing for a pool that was deleted or created again meanwhile", async () => {
    const recreated = shrunk({ metadata: { uid: "uid-new" } });
    const leaving = shrunk({ metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } });
    expect(await deleted(world(shrunk(), INFRA).live(recreated))).toEqual([]);
    expect(await deleted(world(shrunk(), INFRA).live(leaving))).toEqual([]);
    expect(await deleted(world(shrunk(), INFRA).goneLive(shrunk()))).toEqual([]);
  });

  it("waits for a complete view of the workload cluster", async () => {
    const lost = given(cluster(), shrunk(), INFRA, connection({ status: { state: "unreachable" } }));
    expect(await decide(machinepoolRetire, lost)).toEqual({
      result: waitFor("Connection.status.nodesComplete"),
    });
  });
});
