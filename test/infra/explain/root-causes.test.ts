import { describe, expect, it } from "vitest";
import { machinepoolGuard } from "../../../functions/machinepool/guard.ts";
import { objectTree } from "../../../infra/explain/object-tree.ts";
import { isAwaited, type RootCause, rootCausesOf } from "../../../infra/explain/root-causes.ts";
import { createMemoryStore } from "../../../infra/store/memory.ts";
import { groupOf, type Kind, type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { kindOf } from "../../../shared/api/registry.ts";
import { cluster, connection, crd, machinePool } from "../../support/builders.ts";
import { NOW } from "../../support/world.ts";

const REFUSED =
  "workload cluster default/c1 is not connected: 10.0.0.1:6443 refuses the connection; check the server";

/** Of the first object. */
async function causesOf(...objects: readonly [KubeObject, ...(readonly KubeObject[])]) {
  await using store = createMemoryStore();
  for (const object of objects) {
    const type = { cluster: MANAGEMENT, group: groupOf(object.apiVersion), kind: object.kind };
    await store.put(type, {
      ...object,
      metadata: { uid: object.metadata.name, ...object.metadata, resourceVersion: "1" },
    });
  }
  const [object] = objects;
  const kind = kindOf(groupOf(object.apiVersion), object.kind) as Kind;
  return rootCausesOf(store, await objectTree(store, [machinepoolGuard], { kind, object }), NOW);
}

const ALL_CRDS = [
  crd("infrastructure.cluster.x-k8s.io", "FooCluster"),
  crd("controlplane.cluster.x-k8s.io", "FooControlPlane"),
  crd("infrastructure.cluster.x-k8s.io", "FooMachinePool"),
  crd("bootstrap.cluster.x-k8s.io", "FooConfig"),
] as const;
const UNREACHABLE = connection({
  status: { state: "unreachable", failures: 5, message: REFUSED, nodesComplete: false },
});

describe("rootCausesOf", () => {
  it("finds nothing where everything can be read", async () => {
    expect(await causesOf(cluster(), machinePool(), connection(), ...ALL_CRDS)).toEqual([]);
  });

  it("names each kind once, however many objects reference it, with what to do", async () => {
    const unlabelled = crd("infrastructure.cluster.x-k8s.io", "FooMachinePool", {
      metadata: { labels: undefined },
    });
    const second = machinePool({ metadata: { name: "p2" } });
    const [infra, controlPlane] = ALL_CRDS;
    expect(await causesOf(cluster(), machinePool(), second, infra, controlPlane, unlabelled)).toEqual([
      {
        about: "definition",
        definition: "bootstrap.cluster.x-k8s.io/FooConfig",
        message: expect.stringContaining("FooConfig does not exist; install the provider"),
      },
      {
        about: "definition",
        definition: "infrastructure.cluster.x-k8s.io/FooMachinePool",
        message: expect.stringContaining("; if its provider follows contract v1beta2: kubectl label crd"),
      },
    ]);
  });

  it.each([
    ["a Cluster", [cluster(), UNREACHABLE]],
    ["a pool of the Cluster", [machinePool(), cluster(), UNREACHABLE]],
  ] as const)("finds why the workload cluster is not connected, for %s", async (_, [root, ...rest]) => {
    expect(await causesOf(root, ...rest, ...ALL_CRDS)).toEqual([{ about: "connection", message: REFUSED }]);
  });

  it("does not blame a server that may still be away", async () => {
    const starting = cluster({ status: { initialization: undefined } });
    const young = connection({ status: { ...UNREACHABLE.status, failures: 1 } });
    expect(await causesOf(starting, young, ...ALL_CRDS)).toEqual([]);
  });

  it("finds a topology that nothing runs", async () => {
    const spec = { topology: { classRef: { name: "c" }, version: "v1.34.2" }, infrastructureRef: undefined };
    expect(await causesOf(cluster({ spec }), connection(), ...ALL_CRDS)).toEqual([
      {
        about: "topology",
        message: expect.stringContaining("spec.topology needs Cluster API's topology controller"),
      },
    ]);
  });

  it("finds nothing about a pool whose Cluster is not there", async () => {
    expect(await causesOf(machinePool(), ...ALL_CRDS)).toEqual([]);
  });
});

describe("isAwaited", () => {
  const definition: RootCause = { about: "definition", definition: "a.b/Foo", message: "" };
  it.each([
    [{ about: "connection", message: "" }, "Connection.status.nodesComplete", true],
    [{ about: "connection", message: "" }, "Connection default/c1", true],
    [{ about: "connection", message: "" }, "Node.metadata.uid of n1", false],
    [definition, "CustomResourceDefinition.metadata.uid of a.b/Foo", true],
    [definition, "CustomResourceDefinition.metadata.uid of a.b/FooBar", false],
    [{ about: "topology", message: "" }, "Cluster.spec.infrastructureRef", true],
    [{ about: "topology", message: "" }, "Cluster.spec.paused", false],
  ] as const)("%j and %s: %s", (cause, what, awaited) => {
    expect(isAwaited(cause, what)).toBe(awaited);
  });
});
