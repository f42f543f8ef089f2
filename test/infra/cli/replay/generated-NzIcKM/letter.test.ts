import { describe, expect, it } from "vitest";
import { machinepoolStatus } from "../../../../../functions/machinepool/status.ts";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import { plainDecision } from "../../../../../shared/runtime/letters/compose-letter.ts";
import { mask } from "../../../../../shared/redaction/redact.ts";
import { crd } from "../../../../support/builders.ts";
import { decide, given } from "../../../../support/world.ts";

const snapshots: readonly KubeObject[] = [
  {
    "apiVersion": "cluster.x-k8s.io/v1beta2",
    "kind": "MachinePool",
    "metadata": {
      "name": "p1",
      "namespace": "default",
      "uid": "uid-p1",
      "resourceVersion": "20",
      "generation": 2,
      "creationTimestamp": "2026-01-01T00:00:00Z",
      "finalizers": [
        "machinepool.cluster.x-k8s.io"
      ],
      "labels": {
        "cluster.x-k8s.io/cluster-name": "c1"
      },
      "ownerReferences": [
        {
          "apiVersion": "cluster.x-k8s.io/v1beta2",
          "kind": "Cluster",
          "name": "c1",
          "uid": "uid-c1"
        }
      ]
    },
    "spec": {
      "clusterName": "c1",
      "replicas": 3,
      "providerIDList": [
        "foo://1",
        "foo://2",
        "foo://3"
      ],
      "template": {
        "spec": {
          "clusterName": "c1",
          "bootstrap": {
            "configRef": {
              "apiGroup": "bootstrap.cluster.x-k8s.io",
              "kind": "FooConfig",
              "name": "p1-config"
            },
            "dataSecretName": "p1-data"
          },
          "infrastructureRef": {
            "apiGroup": "infrastructure.cluster.x-k8s.io",
            "kind": "FooMachinePool",
            "name": "p1-infra"
          },
          "deletion": {
            "nodeDeletionTimeoutSeconds": 10
          }
        }
      }
    }
  },
  {
    "apiVersion": "cluster.x-k8s.io/v1beta2",
    "kind": "Cluster",
    "metadata": {
      "name": "c1",
      "namespace": "default",
      "uid": "uid-c1",
      "resourceVersion": "10",
      "generation": 1,
      "creationTimestamp": "2026-01-01T00:00:00Z",
      "finalizers": [
        "cluster.cluster.x-k8s.io"
      ]
    },
    "spec": {
      "controlPlaneEndpoint": {
        "host": "c1.example.com",
        "port": 6443
      },
      "infrastructureRef": {
        "apiGroup": "infrastructure.cluster.x-k8s.io",
        "kind": "FooCluster",
        "name": "c1-infra"
      },
      "controlPlaneRef": {
        "apiGroup": "controlplane.cluster.x-k8s.io",
        "kind": "FooControlPlane",
        "name": "c1-control-plane"
      }
    },
    "status": {
      "initialization": {
        "infrastructureProvisioned": true
      }
    }
  },
  {
    "apiVersion": "bootstrap.cluster.x-k8s.io/v1",
    "kind": "FooConfig",
    "metadata": {
      "name": "p1-config",
      "namespace": "default",
      "uid": "uid-p1-config",
      "resourceVersion": "30",
      "labels": {
        "cluster.x-k8s.io/cluster-name": "c1"
      },
      "ownerReferences": [
        {
          "apiVersion": "cluster.x-k8s.io/v1beta2",
          "kind": "MachinePool",
          "name": "p1",
          "uid": "uid-p1",
          "controller": true,
          "blockOwnerDeletion": true
        }
      ]
    },
    "status": {
      "initialization": {
        "dataSecretCreated": true
      },
      "dataSecretName": "p1-data"
    }
  },
  {
    "apiVersion": "infrastructure.cluster.x-k8s.io/v1",
    "kind": "FooMachinePool",
    "metadata": {
      "name": "p1-infra",
      "namespace": "default",
      "uid": "uid-p1-infra",
      "resourceVersion": "40",
      "labels": {
        "cluster.x-k8s.io/cluster-name": "c1"
      },
      "ownerReferences": [
        {
          "apiVersion": "cluster.x-k8s.io/v1beta2",
          "kind": "MachinePool",
          "name": "p1",
          "uid": "uid-p1",
          "controller": true,
          "blockOwnerDeletion": true
        }
      ]
    },
    "spec": {
      "providerIDList": [
        "foo://1",
        "foo://2",
        "foo://3"
      ]
    },
    "status": {
      "ready": true,
      "replicas": 3
    }
  }
] as unknown as readonly KubeObject[];
const definitions = [
  crd("bootstrap.cluster.x-k8s.io", "FooConfig", {
    "metadata": {
      "labels": {
        "cluster.x-k8s.io/v1beta2": "v1"
      }
    },
    "spec": {
      "names": {
        "kind": "FooConfig",
        "plural": "fooconfigs"
      },
      "scope": "Namespaced",
      "versions": [
        {
          "name": "v1",
          "served": true
        }
      ]
    }
  }),
  crd("infrastructure.cluster.x-k8s.io", "FooMachinePool", {
    "metadata": {
      "labels": {
        "cluster.x-k8s.io/v1beta2": "v1"
      }
    },
    "spec": {
      "names": {
        "kind": "FooMachinePool",
        "plural": "foomachinepools"
      },
      "scope": "Namespaced",
      "versions": [
        {
          "name": "v1",
          "served": true
        }
      ]
    }
  }),
];

describe("machinepool-status", () => {
  it("decides about default/c1|MachinePool|default/p1 what it decided at 2026-01-01T12:00:00.000Z", async () => {
    const world = given(...definitions, ...snapshots)
      ;
    expect(mask(plainDecision(await decide(machinepoolStatus, world, "p1", new Date("2026-01-01T12:00:00.000Z"))))).toEqual({
      "result": {
        "type": "done"
      }
    });
  });
});
