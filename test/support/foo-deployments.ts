import type { OwnerReference } from "../../shared/api/kinds.ts";
import type { MachineDeployment } from "../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../shared/api/machineset.ts";
import { merge, type Overrides } from "./builders.ts";
import { machineSet } from "./foo-sets.ts";

const LABELS = {
  "cluster.x-k8s.io/cluster-name": "c1",
  "cluster.x-k8s.io/deployment-name": "d1",
} as const;

const OWNED_BY_C1: OwnerReference = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "Cluster",
  name: "c1",
  uid: "uid-c1",
};

/** MachineDeployment `default/d1` of Cluster c1: guarded, three replicas, without status. */
export function machineDeployment(overrides: Overrides<MachineDeployment> = {}): MachineDeployment {
  return merge<MachineDeployment>(
    {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "MachineDeployment",
      metadata: {
        name: "d1",
        namespace: "default",
        uid: "uid-d1",
        resourceVersion: "30",
        generation: 3,
        creationTimestamp: "2026-01-01T00:00:00Z",
        finalizers: ["cluster.x-k8s.io/machinedeployment"],
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        ownerReferences: [OWNED_BY_C1],
      },
      spec: {
        clusterName: "c1",
        replicas: 3,
        rollout: {
          strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        },
        selector: { matchLabels: LABELS },
        template: { metadata: { labels: LABELS }, spec: machineSet().spec.template.spec },
      },
    },
    overrides,
  );
}

/** The reference by which deployment d1 controls its sets. */
export const OWNED_BY_D1: OwnerReference = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "MachineDeployment",
  name: "d1",
  uid: "uid-d1",
  controller: true,
  blockOwnerDeletion: true,
};

/** A MachineSet of d1, by name: guarded, of the same template, three replicas, without status. */
export function setOfDeployment(name: string, overrides: Overrides<MachineSet> = {}): MachineSet {
  const labels = { ...LABELS, "machine-template-hash": `1-${name.slice(-5)}` };
  return merge<MachineSet>(
    machineSet({
      metadata: { name, uid: `uid-${name}`, labels, ownerReferences: [OWNED_BY_D1] },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
    }),
    overrides,
  );
}
