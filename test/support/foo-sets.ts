import type { OwnerReference } from "../../shared/api/kinds.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import type { MachineSet } from "../../shared/api/machineset.ts";
import { crd, machine, merge, type Overrides, type ProviderObject } from "./builders.ts";

/** CRDs of the template kinds that the builders of this file use. */
export const TEMPLATE_CRDS = [
  crd("bootstrap.cluster.x-k8s.io", "FooConfigTemplate"),
  crd("infrastructure.cluster.x-k8s.io", "FooMachineTemplate"),
] as const;

const SET_LABELS = {
  "cluster.x-k8s.io/cluster-name": "c1",
  "cluster.x-k8s.io/set-name": "s1",
} as const;

/** MachineSet `default/s1` of Cluster c1: guarded, three replicas, without status. */
export function machineSet(overrides: Overrides<MachineSet> = {}): MachineSet {
  return merge<MachineSet>(
    {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "MachineSet",
      metadata: {
        name: "s1",
        namespace: "default",
        uid: "uid-s1",
        resourceVersion: "20",
        generation: 2,
        creationTimestamp: "2026-01-01T00:00:00Z",
        finalizers: ["cluster.x-k8s.io/machineset"],
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        ownerReferences: [OWNED_BY_C1],
      },
      spec: {
        clusterName: "c1",
        replicas: 3,
        selector: { matchLabels: SET_LABELS },
        template: {
          metadata: { labels: SET_LABELS },
          spec: {
            clusterName: "c1",
            bootstrap: {
              configRef: {
                apiGroup: "bootstrap.cluster.x-k8s.io",
                kind: "FooConfigTemplate",
                name: "s1-config",
              },
            },
            infrastructureRef: {
              apiGroup: "infrastructure.cluster.x-k8s.io",
              kind: "FooMachineTemplate",
              name: "s1-infra",
            },
          },
        },
      },
    },
    overrides,
  );
}

const OWNED_BY_C1: OwnerReference = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "Cluster",
  name: "c1",
  uid: "uid-c1",
};

/** The reference by which set s1 controls its Machines. */
export const OWNED_BY_S1: OwnerReference = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "MachineSet",
  name: "s1",
  uid: "uid-s1",
  controller: true,
  blockOwnerDeletion: true,
};

function template(
  group: string,
  kind: string,
  name: string,
  overrides: Overrides<ProviderObject>,
): ProviderObject {
  return merge<ProviderObject>(
    {
      apiVersion: `${group}.cluster.x-k8s.io/v1`,
      kind,
      metadata: {
        name,
        namespace: "default",
        uid: `uid-${name}`,
        resourceVersion: "30",
        ownerReferences: [OWNED_BY_C1],
      },
    },
    overrides,
  );
}

/** Bootstrap template of set s1, owned by its Cluster. */
export function bootstrapTemplate(overrides: Overrides<ProviderObject> = {}): ProviderObject {
  const spec = { template: { metadata: { labels: { boot: "yes" } }, spec: { join: true } } };
  return template("bootstrap", "FooConfigTemplate", "s1-config", merge({ spec }, overrides as object));
}

/** Infrastructure template of set s1, owned by its Cluster. */
export function infraTemplate(overrides: Overrides<ProviderObject> = {}): ProviderObject {
  const spec = { template: { spec: { size: "large" } } };
  return template("infrastructure", "FooMachineTemplate", "s1-infra", merge({ spec }, overrides as object));
}

/** Machine of set s1 with its objects of the same name, complete, with a Node. */
export function setMachine(name: string, overrides: Overrides<Machine> = {}): Machine {
  const infrastructureRef = { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "FooMachine", name };
  const configRef = { apiGroup: "bootstrap.cluster.x-k8s.io", kind: "FooConfig", name };
  const base = machine(name, {
    metadata: { labels: undefined },
    spec: { version: undefined },
    status: undefined,
  });
  const ofSet: Machine = {
    ...base,
    metadata: {
      ...base.metadata,
      labels: SET_LABELS,
      ownerReferences: [OWNED_BY_S1],
      finalizers: ["machine.cluster.x-k8s.io"],
    },
    spec: {
      ...base.spec,
      bootstrap: { configRef, dataSecretName: `${name}-data` },
      infrastructureRef,
      deletion: { nodeDeletionTimeoutSeconds: 10 },
    },
    status: {
      initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
      nodeRef: { name },
    },
  };
  return merge<Machine>(ofSet, overrides);
}
