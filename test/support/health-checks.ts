import type { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { merge, type Overrides } from "./builders.ts";
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
