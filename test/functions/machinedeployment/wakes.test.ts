import { expect, it } from "vitest";
import { machinedeploymentDelete } from "../../../functions/machinedeployment/delete.ts";
import { machinedeploymentGuard } from "../../../functions/machinedeployment/guard.ts";
import { machinedeploymentSets } from "../../../functions/machinedeployment/sets.ts";
import { machinedeploymentStatus } from "../../../functions/machinedeployment/status.ts";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import { groupOf, type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { routeChange } from "../../../shared/runtime/queue/route.ts";
import { storeLookup } from "../../../shared/runtime/read/store-lookup.ts";
import { anyKindOf } from "../../support/all-kinds.ts";
import { cluster, machineCondition, merge, type Overrides } from "../../support/builders.ts";
import { machineDeployment, OWNED_BY_D1, setOfDeployment } from "../../support/foo-deployments.ts";
import { bootstrapTemplate, infraTemplate, OWNED_BY_S1, setMachine } from "../../support/foo-sets.ts";

const FUNCTIONS = [
  machinedeploymentDelete,
  machinedeploymentGuard,
  machinedeploymentSets,
  machinedeploymentStatus,
];
const DELETED = { metadata: { deletionTimestamp: "2026-01-01T12:00:00Z" } };

/** The functions that a change wakes for d1, which lives or is being deleted; the read model holds d1 and its Cluster. */
async function woken(
  object: KubeObject,
  changes: Overrides<KubeObject> | "gone",
  state: Overrides<KubeObject> = {},
): Promise<string> {
  await using store = createMemoryStore();
  const after = changes === "gone" ? undefined : merge<KubeObject>(object, changes);
  const own = object.kind === "MachineDeployment" && after !== undefined ? after : machineDeployment();
  for (const each of [merge<KubeObject>(own, state), cluster()]) {
    await store.put({ cluster: MANAGEMENT, group: "cluster.x-k8s.io", kind: each.kind }, [each]);
  }
  const group = groupOf(object.apiVersion);
  const kind = anyKindOf(group, object.kind) ?? { group, kind: object.kind };
  const change = { kind, cluster: MANAGEMENT, before: object, after };
  const routed = await routeChange(FUNCTIONS, change, storeLookup(store));
  return routed
    .map(({ functionName }) => functionName.replace("machinedeployment-", ""))
    .toSorted()
    .join(" ");
}

const annotated = (key: string) => ({ metadata: { annotations: { [key]: "x" } } });
const specOf = (spec: object) => ({ spec }) as Overrides<KubeObject>;
const statusOf = (status: object) => ({ status }) as Overrides<KubeObject>;
const conditions = (type: string) => statusOf({ conditions: [machineCondition(type, "False", "Odd")] });

const SET = setOfDeployment("d1-aaaaa");
const ORPHAN = setOfDeployment("d1-bbbbb", { metadata: { ownerReferences: [] } });
const FOREIGN = setOfDeployment("x-aaaaa", {
  metadata: { ownerReferences: [{ ...OWNED_BY_D1, kind: "Other", uid: "uid-other" }] },
});
const MACHINE = setMachine("m1", {
  metadata: {
    labels: { "cluster.x-k8s.io/deployment-name": "d1" },
    ownerReferences: [{ ...OWNED_BY_S1, name: "d1-aaaaa", uid: "uid-d1-aaaaa" }],
  },
});

const UNLABELLED = { ...MACHINE, metadata: { ...MACHINE.metadata, labels: {} } };
const LABELLED = { metadata: { labels: { "cluster.x-k8s.io/deployment-name": "d1" } } };

it.each<readonly [string, KubeObject, Overrides<KubeObject> | "gone", string]>([
  ["another template", machineDeployment(), specOf({ replicas: 5 }), "guard sets status"],
  ["an annotation, which sets get", machineDeployment(), annotated("team"), "sets"],
  ["another count", machineDeployment(), statusOf({ replicas: 5 }), "status"],
  ["a paused Cluster", cluster(), specOf({ paused: true }), "guard sets status"],
  ["a Cluster with another phase", cluster(), statusOf({ phase: "Failed" }), ""],
  ["a set that counts", SET, statusOf({ availableReplicas: 2 }), "sets status"],
  ["a set of another size", SET, specOf({ replicas: 9 }), "sets status"],
  ["a set with a condition", SET, conditions("ScalingUp"), ""],
  ["a set that is gone", SET, "gone", "sets status"],
  ["a set without controller", ORPHAN, annotated("team"), "sets"],
  ["a set of another controller", FOREIGN, specOf({ replicas: 9 }), ""],
  ["a Machine that is up to date", MACHINE, conditions("UpToDate"), "status"],
  ["a Machine that gets its label", UNLABELLED, LABELLED, "status"],
  ["a Machine with a Node", MACHINE, statusOf({ nodeRef: { name: "n9" } }), ""],
  ["an infrastructure template that is gone", infraTemplate(), "gone", "guard sets status"],
  [
    "a bootstrap template with other owners",
    bootstrapTemplate(),
    { metadata: { ownerReferences: [] } },
    "guard",
  ],
])("%s wakes the functions of a MachineDeployment that read it", async (_, object, changes, expected) => {
  expect(await woken(object, changes)).toBe(expected);
});

it.each<readonly [string, KubeObject, Overrides<KubeObject> | "gone", string]>([
  ["a set that is gone", SET, "gone", "delete status"],
  ["a set that counts", SET, statusOf({ availableReplicas: 2 }), "status"],
  ["the end of an orphaning", machineDeployment(), { metadata: { finalizers: [] } }, "delete guard status"],
])("%s wakes those of one that is being deleted", async (_, object, changes, expected) => {
  const before = object.kind === "MachineDeployment" ? merge<KubeObject>(object, DELETED) : object;
  expect(await woken(before, changes, DELETED)).toBe(expected);
});
