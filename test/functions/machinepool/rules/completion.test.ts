import { describe, expect, it } from "vitest";
import { awaitedCompletion } from "../../../../functions/machinepool/rules/completion.ts";
import { type PoolFacts, poolView } from "../../../../functions/machinepool/rules/view.ts";
import type { MachinePool } from "../../../../shared/api/machinepool.ts";
import {
  bootstrapConfig,
  cluster,
  found,
  infraMachinePool,
  machine,
  machineCondition,
  machinePool,
  missing,
  node,
  OWNED_BY_P1,
} from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

const NODES = ["1", "2", "3"].map((id) => node(`n${id}`, { spec: { providerID: `foo://${id}` } }));
const FOREIGN = { metadata: { ownerReferences: [{ ...OWNED_BY_P1, name: "p2", uid: "uid-p2" }] } };
const NOT_READY = { status: { conditions: [{ type: "Ready", status: "False" }] } };
const AVAILABLE = machineCondition("Available", "True", "Available");

interface Changes extends Partial<PoolFacts> {
  readonly replicas?: number;
  readonly provisioned?: boolean;
}

/** Returns the waits of a pool of three that is complete except for the changes. */
function awaited({ replicas = 3, provisioned = true, ...changes }: Changes = {}) {
  const view = poolView({
    pool: machinePool(),
    cluster: cluster(),
    providers: { bootstrap: found(bootstrapConfig()), infrastructure: found(infraMachinePool()) },
    nodes: NODES,
    now: NOW,
    ...changes,
  });
  const initialization = { infrastructureProvisioned: provisioned };
  return awaitedCompletion(view, { ...view.pool.status, initialization, replicas });
}
const provided = (bootstrap: ReturnType<typeof bootstrapConfig>, infrastructure = infraMachinePool()) => ({
  providers: { bootstrap: found(bootstrap), infrastructure: found(infrastructure) },
});
const shrunk: MachinePool = machinePool({
  spec: { replicas: 2, providerIDList: ["foo://1", "foo://2"] },
  status: {
    nodeRefs: ["n1", "n2", "n3"].map((name) => ({
      apiVersion: "v1",
      kind: "Node",
      name,
      uid: `uid-${name}`,
    })),
  },
});

describe("a live pool", () => {
  it.each([
    ["nothing once everything is as wanted", {}, undefined],
    [
      "its bootstrap data, also when it has older data in use",
      provided(bootstrapConfig({ status: { initialization: { dataSecretCreated: false } } })),
      "BootstrapConfig.status.initialization.dataSecretCreated",
    ],
    [
      "a name for its bootstrap data",
      provided(bootstrapConfig({ status: { dataSecretName: undefined } })),
      "BootstrapConfig.status.dataSecretName",
    ],
    [
      "the adoption of its bootstrap object",
      provided(bootstrapConfig({ metadata: { ownerReferences: undefined } })),
      "BootstrapConfig.metadata.ownerReferences",
    ],
    [
      "an infrastructure object",
      { providers: { bootstrap: found(bootstrapConfig()), infrastructure: missing(infraMachinePool()) } },
      "InfraMachinePool.metadata.uid",
    ],
    [
      "another controller to let go",
      provided(bootstrapConfig(), infraMachinePool(FOREIGN)),
      "InfraMachinePool.metadata.ownerReferences",
    ],
    [
      "its infrastructure",
      { ...provided(bootstrapConfig(), infraMachinePool({ status: { ready: false } })), provisioned: false },
      "InfraMachinePool.status.ready",
    ],
    ["a complete view of the workload cluster", { nodes: undefined }, "Connection.status.nodesComplete"],
    ["more or fewer instances", { replicas: 2 }, "InfraMachinePool.status.replicas"],
    [
      "the provider IDs of all instances",
      { pool: machinePool({ spec: { providerIDList: ["foo://1", "foo://2"] } }) },
      "InfraMachinePool.spec.providerIDList",
    ],
    ["the Node of an instance", { nodes: NODES.slice(0, 2) }, "Node.metadata.uid of foo://3"],
    [
      "a Node to be ready",
      { nodes: [...NODES.slice(0, 2), node("n3", { spec: { providerID: "foo://3" }, ...NOT_READY })] },
      "Node.status.conditions[Ready].status of n3",
    ],
    ["a retired Node to go", { pool: shrunk, replicas: 2 }, "Node.metadata.uid of n3"],
    [
      "a Machine to be available",
      { machines: [machine("m1", { status: { conditions: [AVAILABLE] } }), machine("m2")] },
      "Machine.status.conditions[Available].status of m2",
    ],
    [
      "nothing of its Machines once they are available",
      { machines: [machine("m1", { status: { conditions: [AVAILABLE] } })] },
      undefined,
    ],
  ])("waits for %s", (_, changes: Parameters<typeof awaited>[0], what) => {
    expect(awaited(changes)).toBe(what);
  });

  it("waits for no bootstrap object when the user gives the data", () => {
    const pool = machinePool({
      spec: { template: { spec: { bootstrap: { configRef: undefined, dataSecretName: "mine" } } } },
    });
    const { infrastructure } = provided(bootstrapConfig()).providers;
    expect(awaited({ pool, providers: { bootstrap: undefined, infrastructure } })).toBeUndefined();
  });

  it("waits for a config reference when it has neither that nor data", () => {
    const pool = machinePool({
      spec: { template: { spec: { bootstrap: { configRef: undefined, dataSecretName: undefined } } } },
    });
    const { infrastructure } = provided(bootstrapConfig()).providers;
    expect(awaited({ pool, providers: { bootstrap: undefined, infrastructure } })).toBe(
      "MachinePool.spec.template.spec.bootstrap.configRef",
    );
  });
});
