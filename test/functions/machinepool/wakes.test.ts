import { describe, expect, it } from "vitest";
import { machinepoolAdopt } from "../../../functions/machinepool/adopt.ts";
import { machinepoolDelete } from "../../../functions/machinepool/delete.ts";
import { machinepoolGuard } from "../../../functions/machinepool/guard.ts";
import { machinepoolMachines } from "../../../functions/machinepool/machines.ts";
import { machinepoolNodes } from "../../../functions/machinepool/nodes.ts";
import { machinepoolRemediate } from "../../../functions/machinepool/remediate.ts";
import { machinepoolRetire } from "../../../functions/machinepool/retire.ts";
import { REMEDIATION_LIMIT } from "../../../functions/machinepool/rules/remediation.ts";
import { machinepoolStatus } from "../../../functions/machinepool/status.ts";
import { machinepoolSync } from "../../../functions/machinepool/sync.ts";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import { groupOf, type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { routeChange } from "../../../shared/runtime/queue/route.ts";
import { storeLookup } from "../../../shared/runtime/read/store-lookup.ts";
import {
  bootstrapConfig,
  cluster,
  connection,
  crd,
  infraMachine,
  infraMachinePool,
  machine,
  machineCondition,
  machinePool,
  merge,
  node,
  type Overrides,
} from "../../support/builders.ts";

const FUNCTIONS = [
  machinepoolAdopt,
  machinepoolDelete,
  machinepoolGuard,
  machinepoolMachines,
  machinepoolNodes,
  machinepoolRemediate,
  machinepoolRetire,
  machinepoolStatus,
  machinepoolSync,
];
const ALL = "adopt delete guard machines nodes remediate retire status sync";
const WORKLOAD = "default/c1";

/** Nothing is left for them to do about a pool that is being deleted. */
const OF_LIVING = ["adopt", "machines", "nodes", "retire", "sync"];

/** `status sync`: which functions a change wakes for p1, be it while it lives or while it is being deleted. */
async function woken(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
  at = before?.kind === "Node" ? WORKLOAD : MANAGEMENT,
): Promise<string> {
  const living = await wokenNow(before, after, at);
  const deleting = await wokenNow(deleted(before), deleted(after), at, DELETED);
  if (after?.metadata.deletionTimestamp === undefined) expect(living).not.toContain("delete");
  expect(deleting.filter((name) => OF_LIVING.includes(name))).toEqual([]);
  const all = [...living, ...deleting];
  return ALL.split(" ")
    .filter((name) => all.includes(name))
    .join(" ");
}

function deleted(side: KubeObject | undefined): KubeObject | undefined {
  return side?.kind === "MachinePool" ? merge<KubeObject>(side, DELETED) : side;
}

/** The read model holds p1 and a pool of another Cluster. */
async function wokenNow(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
  at: string,
  state: Overrides<KubeObject> = {},
): Promise<readonly string[]> {
  await using store = createMemoryStore();
  const { apiVersion = "", kind = "" } = after ?? before ?? {};
  const type = { cluster: MANAGEMENT, group: "cluster.x-k8s.io", kind: "MachinePool" };
  const known = merge<KubeObject>(POOL, state);
  const pool = kind === "MachinePool" && after !== undefined ? after : known;
  const other = machinePool({ metadata: { name: "p2", uid: "uid-p2" }, spec: { clusterName: "c2" } });
  for (const each of [pool, elsewhere(other)]) await store.put(type, [each]);
  const routed = await routeChange(
    FUNCTIONS,
    { kind: { group: groupOf(apiVersion), kind }, cluster: at, before, after },
    storeLookup(store),
  );
  // Only a definition concerns all pools that use it.
  expect(kind === "CustomResourceDefinition" || routed.every(({ name }) => name === "p1")).toBe(true);
  return routed
    .filter(({ name }) => name === "p1")
    .map(({ functionName }) => functionName.replace("machinepool-", ""));
}

/** Each function has something to do about it. */
const POOL = machinePool({
  metadata: { annotations: { [REMEDIATION_LIMIT]: "1" } },
  status: { nodeRefs: [{ apiVersion: "v1", kind: "Node", name: "n1", uid: "uid-n1" }] },
});

/** The same pool with provider objects and instances of its own. */
function elsewhere(pool: ReturnType<typeof machinePool>): ReturnType<typeof machinePool> {
  const references = {
    bootstrap: { configRef: { name: "p2-config" } },
    infrastructureRef: { name: "p2-infra" },
  };
  return merge(pool, { spec: { providerIDList: ["foo://other"], template: { spec: references } } });
}

type Case = readonly [
  what: string,
  object: KubeObject,
  changes: Overrides<KubeObject> | "gone",
  wakes: string,
];

function statusOf(status: object): Overrides<KubeObject> {
  return { status } as Overrides<KubeObject>;
}
function specOf(spec: object): Overrides<KubeObject> {
  return { spec } as Overrides<KubeObject>;
}
const readyNode = (status: string, heartbeat: string) =>
  statusOf({
    conditions: [
      {
        type: "Ready",
        status,
        lastTransitionTime: "2026-01-01T11:00:00Z",
        lastHeartbeatTime: `2026-01-01T12:00:0${heartbeat}Z`,
      },
    ],
  });
const bootstrap = (spec: object) => specOf({ template: { spec: { bootstrap: spec } } });
const PAUSED = { metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } };
const FREED = { metadata: { ownerReferences: [] } };
const DELETED = { metadata: { deletionTimestamp: "2026-01-01T12:00:00Z" } };

const CASES: readonly Case[] = [
  ["a paused pool", POOL, PAUSED, ALL],
  ["a deleted pool", POOL, DELETED, "delete guard remediate status"],
  ["another number of replicas", POOL, specOf({ replicas: 5 }), "guard remediate retire status"],
  ["another list", POOL, specOf({ providerIDList: ["foo://1"] }), "machines nodes retire status sync"],
  ["another config", POOL, bootstrap({ configRef: { name: "x" } }), "adopt guard status sync"],
  ["new refs", POOL, statusOf({ nodeRefs: [] }), "retire status"],
  ["another phase", POOL, statusOf({ phase: "Running" }), "status"],
  ["a label of a user", POOL, { metadata: { labels: { team: "a" } } }, ""],
  ["failure domains", POOL, specOf({ failureDomains: ["a"] }), "status"],
  ["a Cluster that is gone", cluster(), "gone", ALL],
  ["a paused Cluster", cluster(), specOf({ paused: true }), ALL],
  ["a Cluster with another phase", cluster(), statusOf({ phase: "Failed" }), ""],
  [
    "a lost connection",
    connection(),
    statusOf({ state: "unreachable" }),
    "delete machines nodes retire status",
  ],
  ["an incomplete view", connection(), statusOf({ nodesComplete: false }), "machines nodes retire status"],
  ["a probe that failed once", connection(), statusOf({ failures: 1 }), ""],
  ["a Node that is gone", node(), "gone", "delete machines nodes retire status"],
  ["a Node that is not ready any more", node(), readyNode("False", "1"), "status"],
  ["a Node with a taint", node(), specOf({ taints: [{ key: "a", effect: "NoSchedule" }] }), "nodes"],
  ["a Node of another version", node(), statusOf({ nodeInfo: { kubeletVersion: "v2" } }), "machines status"],
  [
    "a Node with another owner annotation",
    node(),
    { metadata: { annotations: { "cluster.x-k8s.io/owner-name": "x" } } },
    "nodes",
  ],
  ["a Node with a label", node(), { metadata: { labels: { zone: "a" } } }, ""],
  ["a Node without a pool", node("n9"), readyNode("False", "1"), ""],
  // A reference does not show its contract: the fields that all contracts have in common wake for each.
  ["a config that is gone", bootstrapConfig(), "gone", "adopt delete machines remediate retire status sync"],
  [
    "a config that any pool may adopt",
    bootstrapConfig(),
    FREED,
    "adopt delete machines remediate retire status sync",
  ],
  [
    "data that is not ready",
    bootstrapConfig(),
    statusOf({ initialization: { dataSecretCreated: false } }),
    "status sync",
  ],
  ["a config with other contents", bootstrapConfig(), specOf({ files: 3 }), ""],
  ["a deleted config", bootstrapConfig(), DELETED, "machines status sync"],
  [
    "infrastructure that is gone",
    infraMachinePool(),
    "gone",
    "adopt delete machines remediate retire status sync",
  ],
  [
    "instances that change",
    infraMachinePool(),
    specOf({ providerIDList: ["foo://1"] }),
    "retire status sync",
  ],
  ["another count of instances", infraMachinePool(), statusOf({ replicas: 2 }), "status sync"],
  [
    "a kind of machines",
    infraMachinePool(),
    statusOf({ infrastructureMachineKind: "FooMachine" }),
    "machines remediate status",
  ],
  [
    "a Ready condition",
    infraMachinePool(),
    statusOf({ conditions: [{ type: "Ready", status: "False" }] }),
    "status",
  ],
  ["another condition", infraMachinePool(), statusOf({ conditions: [{ type: "Odd", status: "False" }] }), ""],
  ["an infrastructure machine that is gone", infraMachine(), "gone", "machines"],
  ["an instance that is known now", infraMachine(), specOf({ providerID: "foo://9" }), "machines"],
  ["a Machine that is gone", machine(), "gone", "machines nodes remediate status"],
  [
    "a Machine that is ready",
    machine(),
    statusOf({ conditions: [machineCondition("UpToDate", "True", "UpToDate"), condition("Ready")] }),
    "status",
  ],
  ["a Machine with a Node", machine(), statusOf({ nodeRef: { name: "n1" } }), "nodes"],
  ["a Machine of another version", machine(), specOf({ version: "v1.35.0" }), "machines status"],
  [
    "a Machine that is unhealthy",
    machine(),
    statusOf({
      conditions: [machineCondition("UpToDate", "True", "UpToDate"), condition("HealthCheckSucceeded")],
    }),
    "remediate status",
  ],
  [
    "a definition of another contract",
    crd("infrastructure.cluster.x-k8s.io", "FooMachinePool"),
    { metadata: { labels: { "cluster.x-k8s.io/v1beta1": "v1" } } },
    "adopt delete machines status sync",
  ],
];

function condition(type: string) {
  return machineCondition(type, "False", "Odd");
}

describe("the functions of a pool", () => {
  it.each(CASES)("are woken by %s as far as it concerns them", async (_, object, changes, wakes) => {
    const after = changes === "gone" ? undefined : merge<KubeObject>(object, changes);
    expect(await woken(object, after)).toBe(wakes);
  });

  it("are not woken by a heartbeat, nor by the Node of another Cluster", async () => {
    const beating = (beat: string) => merge<KubeObject>(node(), readyNode("True", beat));
    expect(await woken(beating("1"), beating("2"))).toBe("");
    expect(await woken(node(), undefined, "default/c2")).toBe("");
  });

  it.each([
    ["instances", "nodes", specOf({ providerIDList: [] })],
    ["refs", "retire", statusOf({ nodeRefs: [] })],
  ])("are not woken for a pool without %s, but once more when they go", async (_, idle, without) => {
    const pool = merge<KubeObject>(POOL, without);
    const before = await woken(undefined, pool);
    expect(before.split(" ")).not.toContain(idle);
    expect(await woken(POOL, pool)).toContain(idle);
    expect(await woken(pool, POOL)).toContain(idle);
  });

  it("are all woken by a pool that appears", async () => {
    expect(await woken(undefined, POOL)).toBe(ALL);
  });
});
