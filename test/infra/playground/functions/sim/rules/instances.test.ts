import { describe, expect, it } from "vitest";
import { SimInstance } from "../../../../../../infra/playground/api/sim-cloud.ts";
import { SimMachinePool } from "../../../../../../infra/playground/api/sim-machinepool.ts";
import {
  missingInstances,
  type SimFleet,
  surplusInstances,
} from "../../../../../../infra/playground/functions/sim/rules/instances.ts";
import { machinePool } from "../../../../../support/builders.ts";
import { NOW } from "../../../../../support/world.ts";

const POOL: SimMachinePool = {
  apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
  kind: SimMachinePool.kind,
  metadata: { name: "p1", namespace: "default", uid: "uid-sim-p1" },
  spec: { bootDelaySeconds: 2, nodeReadyDelaySeconds: 3 },
};

function instance(name: string, { phase = "Running", deleting = false } = {}): SimInstance {
  const metadata = {
    name,
    namespace: "default",
    ...(deleting ? { deletionTimestamp: "2026-01-01T11:59:00Z" } : {}),
  };
  const spec = { clusterName: "c1", poolName: "p1", providerID: `sim://default/${name}/0` };
  return {
    apiVersion: POOL.apiVersion,
    kind: SimInstance.kind,
    metadata,
    spec,
    status: { phase },
  } as SimInstance;
}

function created(replicas: number, instances: readonly SimInstance[], now = NOW): readonly SimInstance[] {
  const wanted = missingInstances(fleet(replicas, instances), now);
  return wanted.map(({ object }) => object as SimInstance);
}

function fleet(replicas: number, instances: readonly SimInstance[]): SimFleet {
  return { object: POOL, pool: machinePool(), wanted: replicas, instances, simMachines: [], machines: [] };
}

describe("instances of a simulated pool", () => {
  it("belong to their pool and their Cluster, and inherit the delays", () => {
    expect(created(1, [])[0]).toMatchObject({
      metadata: {
        labels: { "cluster.x-k8s.io/cluster-name": "c1", "infrastructure.sim.capstan.dev/pool-name": "p1" },
        ownerReferences: [{ kind: "SimMachinePool", uid: "uid-sim-p1", controller: true }],
      },
      spec: { bootDelaySeconds: 2, nodeReadyDelaySeconds: 3 },
    });
  });

  it("go from the highest index down, unknown names first, none twice", () => {
    const given = ["p1-0", "p1-2", "p1-10", "p1-01", "p1-1"].map((name) => instance(name));
    const surplus = surplusInstances(fleet(2, [...given, instance("p1-3", { deleting: true })]));
    expect(surplus.map(({ metadata }) => metadata.name)).toEqual(["p1-01", "p1-10", "p1-2"]);
  });
});
