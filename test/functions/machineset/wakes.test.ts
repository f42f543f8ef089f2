import { describe, expect, it } from "vitest";
import { machinesetDelete } from "../../../functions/machineset/delete.ts";
import { machinesetGuard } from "../../../functions/machineset/guard.ts";
import { machinesetMachines } from "../../../functions/machineset/machines.ts";
import { machinesetRemediate } from "../../../functions/machineset/remediate.ts";
import { machinesetStatus } from "../../../functions/machineset/status.ts";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import { groupOf, type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { RESERVATION } from "../../../shared/rules/machines/reservation.ts";
import { routeChange } from "../../../shared/runtime/queue/route.ts";
import { storeLookup } from "../../../shared/runtime/read/store-lookup.ts";
import { anyKindOf } from "../../support/all-kinds.ts";
import {
  cluster,
  crd,
  infraMachine,
  machineCondition,
  merge,
  type Overrides,
} from "../../support/builders.ts";
import {
  bootstrapTemplate,
  infraTemplate,
  machineSet,
  OWNED_BY_S1,
  setMachine,
} from "../../support/foo-sets.ts";

const FUNCTIONS = [
  machinesetDelete,
  machinesetGuard,
  machinesetMachines,
  machinesetRemediate,
  machinesetStatus,
];
const ALL = "delete guard machines remediate status";

/** `machines status`: which functions a change wakes for s1, be it while it lives or while it is being deleted. */
async function woken(before: KubeObject | undefined, after: KubeObject | undefined): Promise<string> {
  const living = await wokenNow(before, after);
  const deleting = await wokenNow(deleted(before), deleted(after), DELETED);
  if (after?.metadata.deletionTimestamp === undefined) expect(living).not.toContain("delete");
  expect(deleting).not.toContain("machines");
  expect(deleting).not.toContain("remediate");
  const all = [...living, ...deleting];
  return ALL.split(" ")
    .filter((name) => all.includes(name))
    .join(" ");
}

function deleted(side: KubeObject | undefined): KubeObject | undefined {
  return side?.kind === "MachineSet" ? merge<KubeObject>(side, DELETED) : side;
}

/** The read model holds s1, another set and the Cluster. */
async function wokenNow(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
  state: Overrides<KubeObject> = {},
): Promise<readonly string[]> {
  await using store = createMemoryStore();
  const { apiVersion = "", kind = "" } = after ?? before ?? {};
  const known = merge<KubeObject>(machineSet(), state);
  const set = kind === "MachineSet" && after !== undefined ? after : known;
  const templates = {
    spec: {
      clusterName: "c2",
      template: { spec: { bootstrap: { configRef: { name: "x" } }, infrastructureRef: { name: "x" } } },
    },
  };
  const other = machineSet({ metadata: { name: "s2", uid: "uid-s2", ownerReferences: [] }, ...templates });
  for (const each of [set, other, cluster()]) {
    await store.put({ cluster: MANAGEMENT, group: "cluster.x-k8s.io", kind: each.kind }, [each]);
  }
  const routed = await routeChange(
    FUNCTIONS,
    {
      kind: anyKindOf(groupOf(apiVersion), kind) ?? { group: groupOf(apiVersion), kind },
      cluster: MANAGEMENT,
      before,
      after,
    },
    storeLookup(store),
  );
  return routed
    .filter(({ name }) => name === "s1")
    .map(({ functionName }) => functionName.replace("machineset-", ""));
}

type Case = readonly [
  what: string,
  object: KubeObject,
  changes: Overrides<KubeObject> | "gone",
  wakes: string,
];

function specOf(spec: object): Overrides<KubeObject> {
  return { spec } as Overrides<KubeObject>;
}
function statusOf(status: object): Overrides<KubeObject> {
  return { status } as Overrides<KubeObject>;
}
const annotated = (key: string) => ({ metadata: { annotations: { [key]: "x" } } });
const conditions = (type: string) => statusOf({ conditions: [machineCondition(type, "False", "Odd")] });
const DELETED = { metadata: { deletionTimestamp: "2026-01-01T12:00:00Z" } };
const OBJECT = infraMachine("m1", {
  metadata: {
    labels: {
      "cluster.x-k8s.io/cluster-name": "c1",
      "cluster.x-k8s.io/set-name": "s1",
      "cluster.x-k8s.io/pool-name": undefined,
    },
    ownerReferences: [{ ...OWNED_BY_S1, kind: "Machine", name: "m1", uid: "uid-m1" }],
  },
});
const CONTROL_PLANE: KubeObject = {
  apiVersion: "controlplane.cluster.x-k8s.io/v1",
  kind: "FooControlPlane",
  metadata: { name: "c1-control-plane", namespace: "default", uid: "uid-cp", resourceVersion: "9" },
};

const CASES: readonly Case[] = [
  ["a paused set", machineSet(), annotated("cluster.x-k8s.io/paused"), ALL],
  ["a deleted set", machineSet(), DELETED, "delete guard status"],
  ["another number of replicas", machineSet(), specOf({ replicas: 5 }), "guard machines status"],
  ["another selector", machineSet(), specOf({ selector: { matchLabels: { a: "b" } } }), ALL],
  ["a reservation", machineSet(), annotated(RESERVATION), "machines"],
  ["a batch", machineSet(), annotated("capstan.dev/remediation-reservation"), "remediate"],
  ["an annotation of a user", machineSet(), annotated("team"), ""],
  ["another count", machineSet(), statusOf({ replicas: 5 }), "status"],
  ["a paused Cluster", cluster(), specOf({ paused: true }), ALL],
  ["a deleted Cluster", cluster(), DELETED, "machines remediate"],
  ["a Cluster with another phase", cluster(), statusOf({ phase: "Failed" }), ""],
  [
    "a control plane of another version",
    CONTROL_PLANE,
    specOf({ version: "v2" }),
    "machines remediate status",
  ],
  ["a Machine that is gone", setMachine("m1"), "gone", "delete machines remediate status"],
  ["a Machine that is deleted", setMachine("m1"), DELETED, "delete machines remediate status"],
  ["a Machine that is Ready", setMachine("m1"), conditions("Ready"), "status"],
  [
    "a Machine that a health check finds unhealthy",
    setMachine("m1"),
    conditions("HealthCheckSucceeded"),
    "remediate status",
  ],
  [
    "a Machine with another timeout",
    setMachine("m1"),
    specOf({ deletion: { nodeDrainTimeoutSeconds: 5 } }),
    "machines",
  ],
  ["a Machine with a Node", setMachine("m1"), statusOf({ nodeRef: { name: "n9" } }), ""],
  ["a Machine that copies its provider ID", setMachine("m1"), specOf({ providerID: "foo://1" }), ""],
  ["an infrastructure machine that is gone", OBJECT, "gone", "machines"],
  [
    "an infrastructure machine that lost a label",
    OBJECT,
    { metadata: { labels: { "cluster.x-k8s.io/cluster-name": undefined } } },
    "machines",
  ],
  [
    "an infrastructure machine that is provisioned",
    OBJECT,
    statusOf({ initialization: { provisioned: true } }),
    "",
  ],
  ["a template that is gone", infraTemplate(), "gone", "guard machines remediate status"],
  ["an edited template", infraTemplate(), { metadata: { generation: 2 } }, "machines"],
  [
    "a template that skips checks",
    bootstrapTemplate(),
    annotated("machineset.cluster.x-k8s.io/skip-preflight-checks"),
    "machines remediate status",
  ],
  [
    "a definition of another contract",
    crd("infrastructure.cluster.x-k8s.io", "FooMachineTemplate"),
    { metadata: { labels: { "cluster.x-k8s.io/v1beta1": "v1" } } },
    "guard machines remediate status",
  ],
];

describe("the functions of a set", () => {
  it.each(CASES)("are woken by %s as far as it concerns them", async (_, object, changes, wakes) => {
    const after = changes === "gone" ? undefined : merge<KubeObject>(object, changes);
    expect(await woken(object, after)).toBe(wakes);
  });

  it("are woken by an orphan of their Cluster, and by no Machine of another set", async () => {
    const orphan = setMachine("m1", { metadata: { ownerReferences: [], labels: {} } });
    expect(await woken(undefined, orphan)).toBe("delete machines remediate status");
    const foreign = setMachine("m1", {
      metadata: { ownerReferences: [{ ...OWNED_BY_S1, name: "s2", uid: "uid-s2" }] },
    });
    expect(await woken(undefined, foreign)).toBe("");
  });

  it("are all woken by a set that appears", async () => {
    expect(await woken(undefined, machineSet())).toBe(ALL);
  });
});
