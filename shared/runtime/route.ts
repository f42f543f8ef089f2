import { type Kind, type KubeObject, MANAGEMENT, type ObjectKey } from "../api/kinds.ts";
import { type AnyFunction, isContractKind, type Lookup, type Watch } from "./define-function.ts";
import { formatKey, type Key } from "./key.ts";
import { sameJson, valueAt } from "./path.ts";
import type { Member } from "./ports.ts";

/** One snapshot replaced by another. No `before`: added. No `after`: deleted. Never two different uids. */
export interface Change {
  readonly kind: { readonly group: string; readonly kind: string };
  /** The server it happened on. */
  readonly cluster: string;
  readonly before?: KubeObject | undefined;
  readonly after?: KubeObject | undefined;
}

interface RoutedKey extends ObjectKey {
  readonly functionName: string;
  readonly tenant: string;
  readonly key: Key;
}

export interface Routing {
  /** Each (function, key) once. */
  readonly keys: readonly RoutedKey[];
  /** Functions that watch the kind but are not woken, and why not: for `capstan explain`. */
  readonly ignored: readonly { readonly functionName: string; readonly why: string }[];
}

/**
 * Whom a change wakes. A watch counts when one of its fields differs between before and after; appearing and
 * disappearing always counts. Keys come from both sides, so that whoever an object stops pointing at is woken too.
 * The deletion of a reconciled object does not wake its own key: there is nothing left to reconcile.
 */
export async function routeChange(
  functions: readonly AnyFunction[],
  change: Change,
  lookup: Lookup,
): Promise<Routing> {
  const routings = await Promise.all(functions.map((each) => routeToFunction(each, change, lookup)));
  return { keys: routings.flatMap(({ keys }) => keys), ignored: routings.flatMap(({ ignored }) => ignored) };
}

async function routeToFunction({ spec }: AnyFunction, change: Change, lookup: Lookup): Promise<Routing> {
  const watches = spec.watches.filter((watch) => isAbout(watch, change));
  if (watches.length === 0) return { keys: [], ignored: [] };
  const due = watches.filter((watch) => isDue(watch, change));
  if (due.length === 0) {
    const fields = [...new Set(watches.flatMap((watch) => watch.fields))];
    return ignoredBy(spec.name, `none of ${fields.join(", ")} changed`);
  }
  const members = await Promise.all(due.map((watch) => membersOf(watch, change, spec.reconciles, lookup)));
  const keys = new Map<Key, RoutedKey>();
  for (const { namespace, name, tenant } of members.flat()) {
    if (isOwnDeletion(change, spec.reconciles, { namespace, name })) continue;
    const key = formatKey({ tenant, kind: spec.reconciles.kind, namespace, name });
    keys.set(key, { functionName: spec.name, key, tenant, namespace, name });
  }
  if (keys.size === 0) return ignoredBy(spec.name, `concerns no ${spec.reconciles.kind}`);
  return { keys: [...keys.values()], ignored: [] };
}

/** Contract watches are about any kind somebody could reference: who does is found by `toKeys`. */
function isAbout({ on }: Watch, { kind, cluster }: Change): boolean {
  if (isContractKind(on))
    return cluster === MANAGEMENT && kind.group.includes(".") && !isOwnMachinery(kind.group);
  return on.kind === kind.kind && on.group === kind.group;
}

/** Groups in which no provider object lives: what the API server and Capstan itself serve. */
function isOwnMachinery(group: string): boolean {
  return group.endsWith(".k8s.io") ? !group.endsWith(".x-k8s.io") : group === "capstan.dev";
}

function isDue({ fields }: Watch, { before, after }: Change): boolean {
  if (before === undefined || after === undefined) return true;
  return fields.some((field) => !sameJson(valueAt(before, field), valueAt(after, field)));
}

async function membersOf(
  watch: Watch,
  change: Change,
  reconciled: Kind,
  lookup: Lookup,
): Promise<readonly Member[]> {
  const sides = [change.after, change.before].filter((object) => object !== undefined);
  const found = await Promise.all(
    sides.map((object) => watch.toKeys({ object, cluster: change.cluster }, reconciled, lookup)),
  );
  return found.flat();
}

function isOwnDeletion({ kind, cluster, before, after }: Change, reconciled: Kind, key: ObjectKey): boolean {
  return (
    after === undefined &&
    before !== undefined &&
    cluster === MANAGEMENT &&
    kind.kind === reconciled.kind &&
    kind.group === reconciled.group &&
    before.metadata.name === key.name &&
    (before.metadata.namespace ?? "") === key.namespace
  );
}

function ignoredBy(functionName: string, why: string): Routing {
  return { keys: [], ignored: [{ functionName, why }] };
}
