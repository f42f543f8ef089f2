import type { Member } from "../../api/indexes.ts";
import { type Kind, type KubeObject, MANAGEMENT, type ObjectKey } from "../../api/kinds.ts";
import { sameJson, segmentsOf, valueAt } from "../../api/path.ts";
import {
  type AnyFunction,
  isContractKind,
  type Lookup,
  type ToKeys,
  type Watch,
} from "../../function/define-function.ts";
import { formatKey, type Key } from "./key.ts";

/** One snapshot replaced by another. No `before`: added. No `after`: deleted. Never two different uids. */
export interface Change {
  readonly kind: { readonly group: string; readonly kind: string };
  /** The server it happened on. */
  readonly cluster: string;
  readonly before?: KubeObject | undefined;
  readonly after?: KubeObject | undefined;
}

export interface RoutedKey extends ObjectKey {
  readonly functionName: string;
  readonly tenant: string;
  readonly key: Key;
}

/**
 * Returns the keys that a change wakes, each (function, key) once. A watch counts when one of its fields differs
 * between before and after; appearing and disappearing always counts. Keys come from both sides, so that the object
 * that this one stops pointing at is woken too. The deletion of a reconciled object does not wake its own key: there is
 * nothing left to reconcile.
 */
export async function routeChange(
  functions: readonly AnyFunction[],
  change: Change,
  lookup: Lookup,
): Promise<readonly RoutedKey[]> {
  const isDue = fieldComparison(change);
  const membersOf = memberSearch(change, lookup);
  const objectOf = objectSearch(change, lookup);
  const routed = watchesAbout(functions, change).flatMap(({ spec, watches }) => {
    const due = watches.filter(isDue);
    return due.length === 0 ? [] : [routeToFunction(spec, due, change, membersOf)];
  });
  return notIdle(functions, (await Promise.all(routed)).flat(), { change, objectOf });
}

async function routeToFunction(
  spec: AnyFunction["spec"],
  due: readonly Watch[],
  change: Change,
  membersOf: MemberSearch,
): Promise<readonly RoutedKey[]> {
  const { name: functionName, reconciles } = spec;
  const found = await Promise.all(due.map(({ toKeys }) => membersOf(toKeys, reconciles)));
  const keys = new Map<Key, RoutedKey>();
  /** A deletion is never taken back: one side that shows it is enough. */
  const deleting = new Set<Key>();
  const byWatch = found.map((members) =>
    members.flatMap(({ namespace, name, tenant, deleting: isDeleting }) => {
      if (isOwnDeletion(change, reconciles, { namespace, name })) return [];
      const key = formatKey({ tenant, kind: reconciles.kind, namespace, name });
      if (isDeleting === true) deleting.add(key);
      return [{ functionName, key, tenant, namespace, name }];
    }),
  );
  for (const [at, watch] of due.entries()) {
    for (const routed of byWatch[at] ?? []) {
      const isDeleting = deleting.has(routed.key);
      if (actsOnState(spec, isDeleting) && actsOnState(watch, isDeleting)) keys.set(routed.key, routed);
    }
  }
  return [...keys.values()];
}

/** A change of a Cluster concerns all its objects: none of so many is looked at. */
const MAX_LOOKED_AT = 16;

/**
 * Leaves out the keys of objects for which their function would decide nothing. An object that becomes one of these by the
 * change is kept: its key may be failing or dead for what the object was before, and a run says that this is over.
 */
async function notIdle(
  functions: readonly AnyFunction[],
  routed: readonly RoutedKey[],
  { change, objectOf }: { readonly change: Change; readonly objectOf: ObjectSearch },
): Promise<readonly RoutedKey[]> {
  const specs = new Map(functions.map(({ spec }) => [spec.name, spec]));
  const distinct = new Set(routed.map(({ key }) => key));
  if (distinct.size > MAX_LOOKED_AT) return routed;
  const kept = routed.map(async (each) => {
    const { isIdle, reconciles } = specs.get(each.functionName) ?? {};
    if (isIdle === undefined || reconciles === undefined) return [each];
    const object = await objectOf(reconciles, each);
    const isLeftIdle = judged(isIdle);
    if (object === undefined || !isLeftIdle(object)) return [each];
    const wasAtWork = isOwn(change, change.before, reconciles, each) && !isLeftIdle(change.before);
    return wasAtWork ? [each] : [];
  });
  return (await Promise.all(kept)).flat();
}

/** Wakes the function of an object that cannot be judged: then a run of its key fails, and not the delivery to all keys. */
function judged(isIdle: NonNullable<AnyFunction["spec"]["isIdle"]>): (object: KubeObject) => boolean {
  return (object) => {
    try {
      return isIdle(object);
    } catch {
      return false;
    }
  };
}

type ObjectSearch = (
  kind: Kind,
  key: Pick<RoutedKey, "key" | "namespace" | "name">,
) => Promise<KubeObject | undefined>;

/** Returns reconciled objects as the change shows them, else as they are now; each is asked for once. */
function objectSearch(change: Change, lookup: Lookup): ObjectSearch {
  const known = new Map<Key, Promise<KubeObject | undefined>>();
  return async (kind, { key, namespace, name }) => {
    const place = { namespace, name };
    if (isOwn(change, change.after, kind, place)) return change.after;
    const object = known.get(key) ?? lookup.get(kind, place);
    known.set(key, object);
    return object;
  };
}

/** Whether a function or a watch is for an object that is being deleted, or that lives. */
export function actsOnState({ actsOn }: Pick<Watch, "actsOn">, isDeleting: boolean): boolean {
  return actsOn === undefined || (actsOn === "deleting") === isDeleting;
}

interface Watching {
  readonly spec: AnyFunction["spec"];
  readonly watches: readonly Watch[];
}

const watchings = new WeakMap<readonly AnyFunction[], Map<string, readonly Watching[]>>();

/** The functions with watches of a kind, and those: of a hundred watches of all functions a change concerns a few. */
function watchesAbout(functions: readonly AnyFunction[], change: Change): readonly Watching[] {
  const byKind = watchings.get(functions) ?? new Map<string, readonly Watching[]>();
  watchings.set(functions, byKind);
  // Whether contract watches are about a kind depends on its being of the management server.
  const { kind, cluster } = change;
  const text = `${cluster === MANAGEMENT} ${kind.group}/${kind.kind}`;
  const known =
    byKind.get(text) ??
    functions.flatMap(({ spec }) => {
      const watches = spec.watches.filter((watch) => isAbout(watch, change));
      return watches.length === 0 ? [] : [{ spec, watches }];
    });
  byKind.set(text, known);
  return known;
}

/** Contract watches are about any kind that an object could reference: `toKeys` finds the referrers. */
export function isAbout({ on }: Watch, { kind, cluster }: Pick<Change, "kind" | "cluster">): boolean {
  if (isContractKind(on))
    return cluster === MANAGEMENT && kind.group.includes(".") && !isOwnMachinery(kind.group);
  return on.kind === kind.kind && on.group === kind.group;
}

/** Groups in which no provider object lives: what the API server and Capstan itself serve. */
function isOwnMachinery(group: string): boolean {
  return group.endsWith(".k8s.io") ? !group.endsWith(".x-k8s.io") : group === "capstan.dev";
}

/**
 * Whether a watch counts. Many functions watch the same fields: each is compared once, and none below a part of the object
 * that is the same.
 */
function fieldComparison({ before, after }: Change): (watch: Watch) => boolean {
  if (before === undefined || after === undefined) return () => true;
  const known = new Map<string, boolean>();
  const differs = (field: string): boolean => {
    const differing = known.get(field) ?? !sameJson(valueAt(before, field), valueAt(after, field));
    known.set(field, differing);
    return differing;
  };
  const hasChanged = (field: string): boolean => {
    const part = partOf(field);
    return (part === undefined || differs(part)) && differs(field);
  };
  return ({ fields }) => fields.some(hasChanged);
}

const parts = new Map<string, string | undefined>();

/** The part of an object that a field is in, such as `status.conditions`; undefined for a field that is a part itself. */
function partOf(field: string): string | undefined {
  if (parts.has(field)) return parts.get(field);
  const [head = "", name = "", ...below] = segmentsOf(field);
  // A name with dots stands in brackets, and is a part itself.
  const part = below.length > 0 && !name.includes(".") ? `${head}.${name}` : undefined;
  parts.set(field, part);
  return part;
}

type MemberSearch = (toKeys: ToKeys, reconciled: Kind) => Promise<readonly Member[]>;

/** Returns the keys that both sides lead to. Many functions of a kind share a mapping: each is asked once. */
function memberSearch({ cluster, before, after }: Change, lookup: Lookup): MemberSearch {
  const sides = [after, before].filter((object) => object !== undefined);
  const known = new Map<ToKeys, Map<Kind, Promise<readonly Member[]>>>();
  const search: MemberSearch = async (toKeys, reconciled) => {
    const found = await Promise.all(sides.map((object) => toKeys({ object, cluster }, reconciled, lookup)));
    return found.flat();
  };
  return (toKeys, reconciled) => {
    const byKind = known.get(toKeys) ?? new Map<Kind, Promise<readonly Member[]>>();
    const members = byKind.get(reconciled) ?? search(toKeys, reconciled);
    known.set(toKeys, byKind.set(reconciled, members));
    return members;
  };
}

function isOwnDeletion(change: Change, reconciled: Kind, key: ObjectKey): boolean {
  return change.after === undefined && isOwn(change, change.before, reconciled, key);
}

/** Whether this side of a change is the object of a key. */
function isOwn(
  { kind, cluster }: Change,
  side: KubeObject | undefined,
  reconciled: Kind,
  { namespace, name }: ObjectKey,
): side is KubeObject {
  return (
    side !== undefined &&
    cluster === MANAGEMENT &&
    kind.kind === reconciled.kind &&
    kind.group === reconciled.group &&
    side.metadata.name === name &&
    (side.metadata.namespace ?? "") === namespace
  );
}
