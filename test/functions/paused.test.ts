import { describe, expect, it } from "vitest";
import { loadFunctions } from "../../infra/worker/load.ts";
import type { Condition } from "../../shared/api/conditions.ts";
import type { KubeObject } from "../../shared/api/kinds.ts";
import { sameJson, valueAt } from "../../shared/api/path.ts";
import type { AnyDecision, AnyFunction } from "../../shared/function/define-function.ts";
import { cluster, connection, machinePool } from "../support/builders.ts";
import { complete, legacyControlPlane, machinesControlPlane, simServer } from "../support/control-planes.ts";
import { machineDeployment } from "../support/foo-deployments.ts";
import { machineSet, setMachine } from "../support/foo-sets.ts";
import { healthCheck } from "../support/health-checks.ts";
import { machineConfig, ownInfraMachine, soloMachine } from "../support/machines.ts";
import { remediationPolicy } from "../support/remediation-policies.ts";
import { manifestMap, resourceSet } from "../support/resource-sets.ts";
import { simInstance, simMachine, simMachinePool, simRemediation } from "../support/sim.ts";
import { decide, given, NOW, type World } from "../support/world.ts";

const DELETED = "2026-01-01T11:59:00Z";
const LET_GO = { "clusterctl.cluster.x-k8s.io/delete-for-move": "" };
const PAUSED = cluster({ spec: { paused: true } });

/** SimCluster of Cluster c1, with its finalizer. */
const SIM_CLUSTER: KubeObject = {
  apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
  kind: "SimCluster",
  metadata: {
    name: "c1-infra",
    namespace: "default",
    uid: "uid-c1-infra",
    resourceVersion: "40",
    generation: 1,
    labels: { "cluster.x-k8s.io/cluster-name": "c1" },
    finalizers: ["simcluster.infrastructure.sim.capstan.dev"],
    ownerReferences: [{ apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster", name: "c1", uid: "uid-c1" }],
  },
  spec: {},
} as KubeObject;

/** Selects the Cluster without a label of it. */
const EVERY = [{ key: "none", operator: "DoesNotExist" }];

/** Objects of every kind that a function reconciles; what they lack would be made, were their Cluster not paused. */
const OBJECTS: readonly KubeObject[] = [
  machinePool({ spec: { replicas: 5 } }),
  simMachinePool(),
  ...["p1-infra-0", "p1-infra-1"].flatMap((name) => [simInstance(name), simMachine(name)]),
  machineDeployment(),
  machineSet(),
  setMachine("s1-a"),
  soloMachine(),
  machineConfig(),
  ownInfraMachine(),
  machinesControlPlane(),
  legacyControlPlane({ metadata: { name: "legacy", uid: "uid-legacy" } }),
  ...complete("cp-a"),
  SIM_CLUSTER,
  simServer({ metadata: { ownerReferences: [{ ...ownerOf(SIM_CLUSTER), controller: true }] } }),
  simRemediation("m1"),
  healthCheck(),
  remediationPolicy(),
  resourceSet({ spec: { clusterSelector: { matchLabels: undefined, matchExpressions: EVERY } } }),
  manifestMap(),
  connection(),
];

function ownerOf({ apiVersion, kind, metadata }: KubeObject) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "" };
}

/** Functions of kinds that belong to no Cluster. */
const isOfNoCluster = ({ spec }: AnyFunction): boolean =>
  spec.name === "remediationpolicy-history" || spec.reconciles.group === "addons.cluster.x-k8s.io";
const functions = (await loadFunctions()).filter((fn) => !isOfNoCluster(fn));

function objectsFor({ spec }: AnyFunction): readonly KubeObject[] {
  const { kind } = spec.reconciles;
  const found = [PAUSED, ...OBJECTS].filter((object) => object.kind === kind);
  if (found.length === 0) throw new Error(`no object of kind ${kind}`);
  return found;
}

/** Everything that a decision does but to report its status. */
function deedsOf({ patch = [], create = [], delete: deleted = [], issue = [], evict, deliver }: AnyDecision) {
  const patches = patch.filter(({ operations }) => operations.length > 0);
  return [...patches, ...create, ...deleted, ...issue, ...(evict?.pods ?? []), ...(deliver?.of ?? [])];
}

/** The statuses of Paused in the conditions that a decision writes. */
function pausedIn({ apply = {} }: AnyDecision): readonly string[] {
  const conditions = (apply["status.conditions"] ??
    valueAt(apply["status"], "conditions") ??
    []) as Condition[];
  return conditions.filter(({ type }) => type === "Paused").map(({ status }) => status);
}

/** The fields with another value afterwards, without the condition Paused. */
function changedBy({ apply = {} }: AnyDecision, object: KubeObject): readonly unknown[] {
  return Object.entries(apply)
    .map(([path, value]) => ({
      path,
      before: comparable(path, valueAt(object, path)),
      after: comparable(path, value),
    }))
    .filter(({ before, after }) => !sameJson(before, after));
}

/** Paused, and what owners and health checks write of a Machine: no apply of `machine-status` names these. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "Paused",
  "UpToDate",
  "HealthCheckSucceeded",
  "OwnerRemediated",
]);

/** A value without these conditions; no condition is the same as none yet. */
function comparable(path: string, value: unknown): unknown {
  if (path.endsWith("conditions"))
    return ((value ?? []) as Condition[]).filter(({ type }) => !LEFT_OUT.has(type));
  if (path !== "status") return value;
  const { conditions, ...rest } = (value ?? {}) as { readonly conditions?: readonly Condition[] };
  return { ...rest, conditions: comparable("conditions", conditions) };
}

function going(object: KubeObject, annotations?: { readonly [name: string]: string }): KubeObject {
  const metadata = { ...object.metadata, deletionTimestamp: DELETED };
  return { ...object, metadata: annotations === undefined ? metadata : { ...metadata, annotations } };
}

async function decided(fn: AnyFunction, world: World, object: KubeObject): Promise<AnyDecision> {
  return decide(fn, world, object.metadata.name, NOW);
}

describe.each(functions.map((fn) => [fn.spec.name, fn] as const))("%s", (_, fn) => {
  it.each(objectsFor(fn).map((object) => [`${object.kind} ${object.metadata.name}`, object] as const))(
    "leaves %s as it is while its Cluster is paused, but for the condition Paused",
    async (_name, object) => {
      const decision = await decided(fn, given(PAUSED, ...OBJECTS), object);
      expect(deedsOf(decision)).toEqual([]);
      expect(changedBy(decision, object)).toEqual([]);
      expect(pausedIn(decision)).not.toContain("False");
    },
  );

  it.each(objectsFor(fn).map((object) => [`${object.kind} ${object.metadata.name}`, object] as const))(
    "deletes nothing for %s once the API server has its Cluster paused, whatever the snapshots show",
    async (_name, object) => {
      const others = OBJECTS.filter((each) => each !== object);
      const alive = object.kind === "Cluster" ? cluster() : object;
      const snapshots = object.kind === "Cluster" ? others : [...others, cluster()];
      // machine-delete takes the Cluster from the snapshot: every read of a server is one more per Machine.
      for (const each of fn.spec.name === "machine-delete" ? [] : [alive, going(alive)]) {
        const decision = await decided(fn, given(...snapshots, each).live(PAUSED), object);
        expect([decision.delete ?? [], decision.evict?.pods ?? []]).toEqual([[], []]);
      }
    },
  );

  it.each(objectsFor(fn).map((object) => [`${object.kind} ${object.metadata.name}`, object] as const))(
    "takes nothing down with %s that is deleted while paused, or by a mover, with finalizer or without",
    async (_name, object) => {
      const bare = { ...object, metadata: { ...object.metadata, finalizers: undefined } } as KubeObject;
      const others = OBJECTS.filter((each) => each !== object);
      const without = object.kind === "Cluster" ? [] : [cluster()];
      for (const each of [object, bare]) {
        const paused = object.kind === "Cluster" ? [going(each)] : [PAUSED, going(each)];
        const worlds = [
          given(...others, ...paused),
          given(...others, ...without, going(each, LET_GO)),
          // Its Cluster went before it.
          given(...others, going(each, LET_GO)),
        ];
        for (const world of worlds) expect(deedsOf(await decided(fn, world, object))).toEqual([]);
      }
    },
  );
});

describe("an object that is deleted for good", () => {
  // The counterpart: what is empty above would not be so without pause.
  it("is taken down by the function that keeps it", async () => {
    const names = [
      "cluster-delete",
      "machinepool-delete",
      "machineset-delete",
      "sim-cluster",
      "sim-machinepool",
    ];
    for (const fn of functions.filter(({ spec }) => names.includes(spec.name))) {
      const [object] = objectsFor(fn) as [KubeObject];
      const alive = object.kind === "Cluster" ? cluster() : object;
      const others = OBJECTS.filter((each) => each !== object);
      const decision = await decided(fn, given(cluster(), ...others, going(alive)), alive);
      expect([fn.spec.name, deedsOf(decision).length > 0]).toEqual([fn.spec.name, true]);
    }
  });
});
