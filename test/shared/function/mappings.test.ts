import { describe, expect, it } from "vitest";
import { SimMachine } from "../../../infra/playground/api/sim-machine.ts";
import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { labelValueOf } from "../../../shared/api/names.ts";
import type { ToKeys } from "../../../shared/function/define-function.ts";
import {
  claimantsOfNode,
  clusterOf,
  deploymentOfMachine,
  deploymentOfSet,
  inCluster,
  inClusterOfControlPlaneMachine,
  inClusterReferencing,
  itself,
  ownedBy,
  owners,
  poolOfMachine,
  referenced,
  referencing,
  referencingKind,
  sameName,
  setsOfMachine,
  sharingProviderID,
  siblings,
} from "../../../shared/function/mappings.ts";
import {
  cluster,
  connection,
  crd,
  infraMachine,
  infraMachinePool,
  machine,
  machinePool,
  node,
  OWNED_BY_P1,
} from "../../support/builders.ts";
import { OWNED_BY_D1, setOfDeployment } from "../../support/foo-deployments.ts";
import { OWNED_BY_S1, setMachine } from "../../support/foo-sets.ts";

/** The lookups that a mapping makes, as `Kind index value`; each finds one key. */
async function lookups(
  toKeys: ToKeys,
  object: KubeObject,
  reconciled: Kind = MachinePool,
  at = "management",
) {
  const asked: string[] = [];
  const keys = await toKeys({ object, cluster: at }, reconciled, {
    find: async (kind, index, value) => {
      asked.push(`${kind.kind} ${index} ${value}`);
      return [{ namespace: "default", name: `found-${asked.length}`, tenant: "default/c1" }];
    },
    get: async () => undefined,
  });
  return { asked, keys: keys.map(({ name }) => name) };
}

describe("an event's keys", () => {
  it("are the objects of a Cluster for its control plane Machines, and none for others", async () => {
    const labels = { "cluster.x-k8s.io/control-plane": "" };
    const controlPlane = await lookups(
      inClusterOfControlPlaneMachine,
      machine("m1", { metadata: { labels } }),
    );
    expect(controlPlane.asked).toEqual(["MachinePool cluster default/c1"]);
    expect((await lookups(inClusterOfControlPlaneMachine, machine())).asked).toEqual([]);
  });

  it("are the object itself, in the tenant of its Cluster", async () => {
    const found = await itself({ object: machinePool(), cluster: "management" }, MachinePool, {
      get: async () => undefined,
      find: async () => [],
    });
    expect(found).toEqual([{ namespace: "default", name: "p1", tenant: "default/c1" }]);
  });

  it.each<[string, ToKeys, KubeObject, string]>([
    ["a Cluster's objects", inCluster, cluster(), "MachinePool cluster default/c1"],
    ["the namesake of a Connection", sameName, connection(), "MachinePool name default/c1"],
    ["the owner of an object, by uid", owners, infraMachinePool(), `MachinePool uid ${OWNED_BY_P1.uid}`],
    ["what an object owns", ownedBy, machinePool(), "MachinePool owner uid-p1"],
    [
      "the objects that reference a provider object",
      referencing,
      infraMachinePool(),
      "MachinePool reference infrastructure.cluster.x-k8s.io/FooMachinePool/default/p1-infra",
    ],
    [
      "the objects that reference a kind that has just been defined",
      referencingKind,
      crd("parts.dev", "Door"),
      "MachinePool referencedKind parts.dev/Door",
    ],
  ])("are %s", async (_, toKeys, object, asked) => {
    expect(await lookups(toKeys, object)).toEqual({ asked: [asked], keys: ["found-1"] });
  });

  it("are empty for an object without owners", async () => {
    const orphan = infraMachinePool({ metadata: { ownerReferences: undefined } });
    expect(await lookups(owners, orphan)).toEqual({ asked: [], keys: [] });
  });

  it("are the Cluster that an object names by label or field", async () => {
    const asked = ["Cluster name default/c1"];
    const byLabel = machinePool({ spec: { clusterName: "other" } });
    const byField = machinePool({ metadata: { labels: undefined } });
    for (const pool of [byLabel, byField]) {
      expect((await lookups(clusterOf, pool, Cluster as unknown as typeof MachinePool)).asked).toEqual(asked);
    }
    expect((await lookups(clusterOf, crd("parts.dev", "Door"))).asked).toEqual([]);
  });

  it("are the objects of the same Cluster with a Machine's provider ID", async () => {
    const known = machine("m1", { spec: { providerID: "foo://1" } });
    expect((await lookups(sharingProviderID, known)).asked).toEqual([
      "MachinePool providerID default/c1|foo://1",
    ]);
    expect((await lookups(sharingProviderID, machine())).asked).toEqual([]);
  });

  it("are the objects of a Cluster that references a provider object", async () => {
    const controlPlane = infraMachinePool({ kind: "FooControlPlane", metadata: { name: "cp" } });
    expect(await lookups(inClusterReferencing, controlPlane)).toEqual({
      asked: [
        "Cluster reference infrastructure.cluster.x-k8s.io/FooControlPlane/default/cp",
        "MachinePool cluster default/found-1",
      ],
      keys: ["found-2"],
    });
  });

  it("are the pools and Machines that have a Node's provider ID or name the Node, of its own Cluster", async () => {
    expect(await lookups(claimantsOfNode, node("n1"), MachinePool, "default/c1")).toEqual({
      asked: ["MachinePool providerID default/c1|foo://1", "MachinePool nodeRef default/c1|n1"],
      keys: ["found-1", "found-2"],
    });
    const young = node("n1", { spec: { providerID: undefined } });
    expect((await lookups(claimantsOfNode, young, MachinePool, "default/c1")).asked).toEqual([
      "MachinePool nodeRef default/c1|n1",
    ]);
  });

  it("are the pool of a Machine, by its labels within the Cluster and by its owner", async () => {
    const found = await poolOfMachine({ object: machine(), cluster: "management" }, MachinePool, {
      get: async () => undefined,
      find: async (_, index) =>
        ["p1", "p2"]
          .filter((name) => index !== "uid" || name === "p1")
          .map((name) => ({ namespace: "default", name, tenant: "default/c1" })),
    });
    expect(new Set(found.map(({ name }) => name))).toEqual(new Set(["p1"]));
    const asked = async (label: string) => {
      const labels = {
        "cluster.x-k8s.io/cluster-name": "c1",
        "cluster.x-k8s.io/pool-name": label,
      };
      return (await lookups(poolOfMachine, machine("m1", { metadata: { labels } }))).asked;
    };
    const byOwner = "MachinePool uid uid-p1";
    // A thousand pools in one Cluster: a Machine's event must not cost a look at each.
    expect(await asked("p1")).toEqual([byOwner, "MachinePool name default/p1"]);
    expect(await asked(labelValueOf("p".repeat(64)))).toEqual([byOwner, "MachinePool cluster default/c1"]);
    const bare = machine("m1", { metadata: { labels: undefined } });
    expect((await lookups(poolOfMachine, bare)).asked).toEqual(["MachinePool uid uid-p1"]);
  });

  it("are what an object references of the reconciled kind, and what has an owner in common", async () => {
    const sim = machine("m1", {
      spec: { infrastructureRef: { apiGroup: SimMachine.group, kind: SimMachine.kind, name: "i1" } },
    });
    const kind = SimMachine as unknown as typeof MachinePool;
    expect((await lookups(referenced, sim, kind)).asked).toEqual(["SimMachine name default/i1"]);
    expect((await lookups(referenced, machine(), kind)).asked).toEqual([]);
    expect((await lookups(siblings, machine())).asked).toEqual(["MachinePool owner uid-p1"]);
  });
});

describe("setsOfMachine", () => {
  const SETS = ["s1", "s2", "s".repeat(70)].map((name) => ({
    namespace: "default",
    name,
    tenant: "default/c1",
  }));

  async function setsOf(object: KubeObject): Promise<readonly string[]> {
    const keys = await setsOfMachine({ object, cluster: "management" }, MachineSet, {
      get: async () => undefined,
      find: async (_, index, value) => {
        if (index === "uid") return value === "uid-s1" ? SETS.slice(0, 1) : [];
        expect([index, value]).toEqual(["cluster", "default/c1"]);
        return SETS;
      },
    });
    return keys.map(({ name }) => name);
  }

  it("are the controller of a Machine", async () => {
    expect(await setsOf(setMachine("m1"))).toEqual(["s1"]);
  });

  it("are all sets of the Cluster for a Machine that nothing controls", async () => {
    const orphan = { metadata: { ownerReferences: undefined } };
    expect(await setsOf(setMachine("m1", orphan))).toHaveLength(3);
  });

  it("are found by label for an object of a Machine, also by the hash of a long name", async () => {
    const owner = { ...OWNED_BY_S1, kind: "Machine", name: "m1", uid: "uid-m1" };
    const object = (set: string) =>
      infraMachine("m1", {
        metadata: {
          ownerReferences: [owner],
          labels: { "cluster.x-k8s.io/set-name": set, "cluster.x-k8s.io/cluster-name": "c1" },
        },
      });
    expect(await setsOf(object("s2"))).toEqual(["s2"]);
    expect(await setsOf(object(labelValueOf("s".repeat(70))))).toEqual(["s".repeat(70)]);
    expect(await setsOf(infraMachine("m1", { metadata: { ownerReferences: [owner] } }))).toEqual([]);
  });
});

describe("the MachineDeployments of a MachineSet and of a Machine", () => {
  it("are the controller of a set, by uid", async () => {
    const found = await lookups(deploymentOfSet, setOfDeployment("d1-aaaaa"), MachineDeployment);
    expect(found.asked).toEqual(["MachineDeployment uid uid-d1"]);
  });

  const ofCluster = "MachineDeployment cluster default/c1";
  const other = { ...OWNED_BY_D1, kind: "Other" };

  it.each([
    ["no controller", [], [ofCluster]],
    ["a controller that is gone", [OWNED_BY_D1], ["MachineDeployment uid uid-d1", ofCluster]],
    ["a controller of another kind", [other], ["MachineDeployment uid uid-d1"]],
  ])("are all of the Cluster for a set with %s", async (_, ownerReferences, expected) => {
    const asked: string[] = [];
    const set = setOfDeployment("d1-aaaaa", { metadata: { ownerReferences } });
    await deploymentOfSet({ object: set, cluster: "management" }, MachineDeployment, {
      get: async () => undefined,
      find: async (kind, index, value) => {
        asked.push(`${kind.kind} ${index} ${value}`);
        return [];
      },
    });
    expect(asked).toEqual(expected);
  });

  it("are found by label for a Machine, and none without it", async () => {
    const of = async (object: KubeObject) =>
      (await lookups(deploymentOfMachine, object, MachineDeployment)).asked;
    const labels = { "cluster.x-k8s.io/deployment-name": "d1" };
    expect(await of(setMachine("m1", { metadata: { labels } }))).toEqual([
      "MachineDeployment name default/d1",
    ]);
    expect(await of(setMachine("m1"))).toEqual([]);
  });
});
