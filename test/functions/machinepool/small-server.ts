import { applyJsonPatch, type Json } from "../../../infra/playground/apiserver/entry.ts";
import { loadFunctions } from "../../../infra/worker/load.ts";
import { type KubeObject, MANAGEMENT, type ObjectRef } from "../../../shared/api/kinds.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { sameJson, valueAt } from "../../../shared/api/path.ts";
import type { AnyDecision, AnyFunction, GuardedPatch } from "../../../shared/function/define-function.ts";
import {
  bootstrapConfig,
  cluster,
  connection,
  infraMachinePool,
  machinePool,
  node,
} from "../../support/builders.ts";
import { decide, given, NOW, type World } from "../../support/world.ts";

/** Every function of a MachinePool. */
export const FUNCTIONS: readonly AnyFunction[] = await loadFunctions(["machinepool-*"]);

const WORKLOAD = "default/c1";
/** Servers of sorts: objects by cluster, kind and name. */
export type Objects = Map<string, KubeObject>;

export function keyOf(where: string, kind: string, name: string): string {
  return `${where} ${kind} ${name}`;
}

export const POOL = keyOf(MANAGEMENT, "MachinePool", "p1");
export const CLUSTER = keyOf(MANAGEMENT, "Cluster", "c1");
export const CONFIG = keyOf(MANAGEMENT, "FooConfig", "p1-config");
export const INFRA = keyOf(MANAGEMENT, "FooMachinePool", "p1-infra");
export const CONNECTION = keyOf(MANAGEMENT, "Connection", "c1");

export function nodeKey(name: string): string {
  return keyOf(WORKLOAD, "Node", name);
}

export function poolIn(objects: Objects): MachinePool | undefined {
  return objects.get(POOL) as MachinePool | undefined;
}

/** Returns the reader of a function whose snapshots are those of `seen`, while the servers have `objects`. */
export function worldOf(objects: Objects, seen = objects): World {
  const world = given(...inCluster(seen, MANAGEMENT)).inWorkload(WORKLOAD, ...inCluster(seen, WORKLOAD));
  if (seen === objects) return world;
  const clusters = [MANAGEMENT, WORKLOAD];
  const newer = clusters.reduce<World>(
    (at, where) => inCluster(objects, where).reduce((to, object) => to.live(object, where), at),
    world,
  );
  const gone = [...seen].filter(([key]) => !objects.has(key));
  return gone.reduce((at, [key, object]) => at.goneLive(object, key.split(" ")[0]), newer);
}

function inCluster(objects: Objects, where: string): readonly KubeObject[] {
  return [...objects].flatMap(([key, object]) => (key.startsWith(`${where} `) ? [object] : []));
}

/** Returns a value as a server would have read it. */
function json(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}

/** Stores an object as a new version, with a new generation when its spec has changed; an object at its end goes. */
export function store(objects: Objects, key: string, object: KubeObject): void {
  const before = objects.get(key);
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp !== undefined && finalizers.length === 0) {
    objects.delete(key);
    return;
  }
  const changed = !sameJson(valueAt(before, "spec"), valueAt(object, "spec"));
  const metadata = {
    ...object.metadata,
    generation: (before?.metadata.generation ?? 0) + Number(changed),
    resourceVersion: String(Number(before?.metadata.resourceVersion ?? 0) + 1),
  };
  objects.set(key, { ...object, metadata });
}

/** Carries a decision out as the runtime would, guards included, and gives the writes that took effect. */
export function carryOut(decision: AnyDecision, pool: MachinePool, objects: Objects): readonly string[] {
  const releases = (decision.patch ?? []).filter(
    ({ operations }) =>
      operations.some(({ op }) => op === "remove") &&
      operations.some(({ path }) => path.startsWith("/metadata/finalizers")),
  );
  const patches = (decision.patch ?? []).filter((patch) => !releases.includes(patch));
  return [
    ...patches.flatMap((patch) => patched(patch, objects)),
    ...applied(decision.apply?.["status"], pool, objects),
    ...(decision.delete ?? []).flatMap(({ target }) => deleted(target, objects)),
    ...releases.flatMap((patch) => patched(patch, objects)),
  ];
}

/** The object that a reference means; `undefined` when it is another one, or has another version than it must. */
function meant(ref: ObjectRef, objects: Objects): KubeObject | undefined {
  const object = objects.get(keyOf(ref.cluster, ref.kind.kind, ref.name));
  const { uid, resourceVersion } = object?.metadata ?? {};
  const same = uid === ref.uid && (ref.resourceVersion ?? resourceVersion) === resourceVersion;
  return same ? object : undefined;
}

function patched({ target, operations }: GuardedPatch, objects: Objects): readonly string[] {
  const before = meant(target, objects);
  if (operations.length === 0 || before === undefined) return [];
  try {
    const after = applyJsonPatch(json(before), json(operations)) as unknown as KubeObject;
    store(objects, keyOf(target.cluster, target.kind.kind, target.name), after);
  } catch {
    // A failed test: the run is repeated on newer snapshots.
    return [];
  }
  return [`patch ${target.kind.kind} ${target.name}`];
}

function applied(status: unknown, pool: MachinePool, objects: Objects): readonly string[] {
  const current = poolIn(objects);
  const { uid, resourceVersion } = pool.metadata;
  if (status === undefined || sameJson(status, pool.status)) return [];
  if (current?.metadata.uid !== uid || current?.metadata.resourceVersion !== resourceVersion) return [];
  store(objects, POOL, { ...current, ...{ status: json(status) } } as KubeObject);
  return ["apply MachinePool p1 status"];
}

function deleted(ref: ObjectRef, objects: Objects): readonly string[] {
  const object = meant(ref, objects);
  if (object === undefined) return [];
  const metadata = { ...object.metadata, deletionTimestamp: NOW.toISOString() };
  store(objects, keyOf(ref.cluster, ref.kind.kind, ref.name), { ...object, metadata });
  return [`delete ${ref.kind.kind} ${ref.name}`];
}

/** Runs all functions in turn until none of them writes, or gives up after 20 rounds. */
export async function settle(objects: Objects, functions = FUNCTIONS): Promise<readonly string[]> {
  const writes: string[] = [];
  for (let rounds = 0, before = -1; before < writes.length; rounds += 1) {
    if (rounds >= 20)
      throw new Error(`no rest after ${writes.length} writes: ${writes.slice(-8).join(", ")}`);
    before = writes.length;
    for (const fn of functions) {
      const pool = poolIn(objects);
      if (pool === undefined) return writes;
      writes.push(...carryOut(await decide(fn, worldOf(objects), "p1", NOW), pool, objects));
    }
  }
  return writes;
}

const UNOWNED = { metadata: { ownerReferences: undefined, labels: undefined } };

/** As a user and a provider leave them: a pool of three, everything it needs ready, nothing written by us. */
export function created(): Objects {
  const pool = machinePool({
    metadata: {
      ...UNOWNED.metadata,
      generation: 1,
      finalizers: undefined,
      creationTimestamp: "2026-01-01T11:59:59Z",
    },
    spec: { providerIDList: undefined, template: { spec: { bootstrap: { dataSecretName: undefined } } } },
  });
  const management = [cluster(), connection(), pool, bootstrapConfig(UNOWNED), infraMachinePool(UNOWNED)];
  const nodes = ["n1", "n2", "n3"].map((name) => node(name, { metadata: { annotations: {} } }));
  return new Map<string, KubeObject>([
    ...management.map((object) => [keyOf(MANAGEMENT, object.kind, object.metadata.name), object] as const),
    ...nodes.map((object) => [nodeKey(object.metadata.name), object] as const),
  ]);
}
