import type { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { Condition } from "../../shared/api/conditions.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { cluster, machine, merge, type Overrides } from "./builders.ts";
import { OWNED_BY_C1 } from "./foo-cluster.ts";

/** MachineHealthCheck `default/h1` of Cluster c1: guarded, for the Machines of tier a, without status. */
export function healthCheck(overrides: Overrides<MachineHealthCheck> = {}): MachineHealthCheck {
  return merge<MachineHealthCheck>(
    {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "MachineHealthCheck",
      metadata: {
        name: "h1",
        namespace: "default",
        uid: "uid-h1",
        resourceVersion: "50",
        generation: 3,
        creationTimestamp: "2026-01-01T00:00:00Z",
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        ownerReferences: [OWNED_BY_C1],
      },
      spec: {
        clusterName: "c1",
        selector: { matchLabels: { tier: "a" } },
        checks: {
          nodeStartupTimeoutSeconds: 600,
          unhealthyNodeConditions: [{ type: "Ready", status: "False", timeoutSeconds: 300 }],
        },
      },
    },
    overrides,
  );
}

const BEGINNING = "2026-01-01T00:00:00Z";

/** A condition of a Machine or a Cluster that has been so since this time. */
export function since(
  lastTransitionTime: string,
  type: string,
  status: Condition["status"],
  reason = "Because",
): Condition {
  return { type, status, reason, message: "", lastTransitionTime };
}

/** Cluster c1, whose infrastructure and control plane have been up since midnight. */
export function upCluster(...conditions: readonly Condition[]): Cluster {
  const up = ["InfrastructureReady", "ControlPlaneInitialized"].map((type) => since(BEGINNING, type, "True"));
  const changed = conditions.map(({ type }) => type);
  return cluster({
    status: { conditions: [...up.filter(({ type }) => !changed.includes(type)), ...conditions] },
  });
}

/** Machine of tier a in Cluster c1, created at midnight, that names the Node of its own name. */
export function target(name = "m1", overrides: Overrides<Machine> = {}): Machine {
  const labels = { tier: "a", "cluster.x-k8s.io/cluster-name": "c1" };
  const plain = machine(name, {
    metadata: { creationTimestamp: BEGINNING, ownerReferences: undefined },
    status: { conditions: undefined, nodeRef: { name } },
  });
  return merge<Machine>({ ...plain, metadata: { ...plain.metadata, labels } }, overrides);
}
