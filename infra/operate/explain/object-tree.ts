import { clusterNameOf, referencesOf } from "../../../shared/api/indexes.ts";
import {
  type ContractReference,
  type Kind,
  type KubeObject,
  type ObjectKey,
  objectKeyOf,
  workloadCluster,
} from "../../../shared/api/kinds.ts";
import { kindOf } from "../../../shared/api/registry.ts";
import { type AnyFunction, isContractKind } from "../../../shared/function/define-function.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { resolveReference } from "../../../shared/runtime/read/resolve-reference.ts";
import { type LeftOut, pickShown, worstFirst } from "./siblings.ts";

/** The read model, as trees are read from it. */
export type Snapshots = Pick<Store, "get" | "list" | "find" | "progress">;

/** An object with all objects of the read model that belong to it. */
export interface ObjectNode {
  readonly kind: Kind;
  readonly key: ObjectKey;
  /** The object; absent where it is referenced and does not exist. */
  readonly object: KubeObject | undefined;
  /** Why a reference leads nowhere. */
  readonly problem?: string;
  /** The problem is the definition of the kind, not the object: `<group>/<Kind>`. */
  readonly definition?: string;
  /** The problem is that the server refuses the list of the kind to the relay. */
  readonly isRefused?: true;
  /** The object that references it, where no more is known of it. */
  readonly namedBy?: NamedBy;
  readonly children: readonly ObjectNode[];
  readonly more: readonly LeftOut[];
}

/** A reference that leads nowhere. */
interface NamedBy {
  readonly kind: Kind;
  readonly object: KubeObject;
  /** `spec.infrastructureRef` */
  readonly path: string;
  /** Names of objects of that kind that are nearly the same, best first, at most three. */
  readonly near: readonly string[];
}

interface Growing {
  readonly store: Snapshots;
  /** Kinds whose objects may be children. */
  readonly kinds: readonly Kind[];
  readonly seen: Set<string>;
  readonly dead: ReadonlySet<string>;
}

/**
 * Returns the object, the objects that it references, and those that it or its Cluster owns: Cluster →
 * infrastructure, control plane,
 * MachinePools → bootstrap configuration, infrastructure, Machines. Each object stands in it once. Of the objects of one
 * kind the worst stand first; `dead` names those that a function has given up, `Machine default/m1`.
 */
export async function objectTree(
  store: Snapshots,
  functions: readonly AnyFunction[],
  root: { readonly kind: Kind; readonly object: KubeObject },
  dead: ReadonlySet<string> = new Set(),
): Promise<ObjectNode> {
  return grow({ store, kinds: shownKinds(functions), seen: new Set(), dead }, root.kind, root.object);
}

/**
 * Kinds that a function reconciles, and Machines, which `kubectl get cluster-api` lists and no function
 * reconciles yet.
 */
export function shownKinds(functions: readonly AnyFunction[]): readonly Kind[] {
  const kinds = functions.flatMap(({ spec: { reconciles, watches } }) => [
    reconciles,
    ...watches.flatMap(({ on }) =>
      !isContractKind(on) && on.crd?.categories?.includes("cluster-api") === true ? [on] : [],
    ),
  ]);
  return [...new Map(kinds.map((kind) => [`${kind.group}/${kind.kind}`, kind])).values()];
}

async function grow(growing: Growing, kind: Kind, object: KubeObject): Promise<ObjectNode> {
  const key = objectKeyOf(object);
  growing.seen.add(idOf(kind, key));
  const children: ObjectNode[] = [];
  const more: LeftOut[] = [];
  for (const { reference, path } of referencesIn(kind, object)) {
    const child = await follow(growing, reference, { kind, object, path });
    // An object that a deleted object references is deleted first: its absence is not a problem.
    const isTakenDown = object.metadata.deletionTimestamp !== undefined && child?.object === undefined;
    if (child !== undefined && !isTakenDown) children.push(child);
  }
  for (const each of growing.kinds) {
    const found = (await belonging(growing.store, each, { kind, object })).filter(
      (one) => !growing.seen.has(idOf(each, objectKeyOf(one))),
    );
    const { shown, leftOut } = pickShown(each, worstFirst(found, growing.dead));
    more.push(...leftOut);
    for (const one of shown) children.push(await grow(growing, each, one));
  }
  return { kind, key, object, children, more };
}

/** The objects that one object references, and those that these reference. */
export async function referencedNodes(
  store: Snapshots,
  kind: Kind,
  object: KubeObject,
): Promise<readonly ObjectNode[]> {
  const growing = { store, kinds: [], seen: new Set<string>(), dead: new Set<string>() };
  return (await grow(growing, kind, object)).children;
}

function referencesIn(kind: Kind, object: KubeObject) {
  return (kind.references ?? []).flatMap((path) =>
    referencesOf({ ...kind, references: [path] }, object).map((reference) => ({ reference, path })),
  );
}

async function follow(
  growing: Growing,
  reference: ContractReference,
  by: Omit<NamedBy, "near">,
): Promise<ObjectNode | undefined> {
  const key = { namespace: objectKeyOf(by.object).namespace, name: reference.name };
  const resolved = await resolveReference(growing.store, reference);
  if (resolved.state === "unresolved") {
    const kind = {
      group: reference.apiGroup,
      version: "",
      kind: reference.kind,
      plural: "",
      namespaced: true,
    };
    const definition = `${reference.apiGroup}/${reference.kind}`;
    const namedBy = { ...by, near: [] };
    const problem = resolved.message;
    return { kind, key, object: undefined, problem, definition, namedBy, children: [], more: [] };
  }
  const kind = kindOf(resolved.kind.group, resolved.kind.kind) ?? resolved.kind;
  if (growing.seen.has(idOf(kind, key))) return undefined;
  const object = await growing.store.get(managementType(kind), key);
  if (object !== undefined) return grow(growing, kind, object);
  const { ready, refusal } = await growing.store.progress(managementType(kind));
  // Without a complete list nothing is known to be missing.
  const problem = ready ? "does not exist" : (refusal ?? "its kind is not listed yet");
  const others = ready ? await growing.store.list(managementType(kind), { namespace: key.namespace }) : [];
  const names = others.map(({ metadata }) => metadata.name);
  return {
    kind,
    key,
    object,
    problem,
    namedBy: { ...by, near: nearNames(key.name, names) },
    ...(refusal === undefined ? {} : { isRefused: true }),
    children: [],
    more: [],
  };
}

/** Returns the objects that this one controls; of a Cluster also those that name it and have no other controller. */
export async function belonging(
  store: Snapshots,
  kind: Kind,
  parent: { readonly kind: Kind; readonly object: KubeObject },
): Promise<readonly KubeObject[]> {
  const type = managementType(kind);
  const key = objectKeyOf(parent.object);
  const { uid = "" } = parent.object.metadata;
  const owned = await store.list(type, {
    namespace: key.namespace,
    index: { name: "owner", values: [uid] },
  });
  const ofParent = owned.filter((object) => ownerOf(object)?.uid === uid);
  if (parent.kind.kind !== "Cluster" || kind.clusterNamePath === undefined) return ofParent;
  const index = { name: "cluster", values: [workloadCluster(key)] };
  const named = await store.list(type, { namespace: key.namespace, index });
  return [...ofParent, ...named.filter((object) => ownerOf(object) === undefined)];
}

function ownerOf({ metadata: { ownerReferences: owners = [] } }: KubeObject) {
  return owners.find(({ controller }) => controller === true) ?? owners[0];
}

function idOf({ group, kind }: Kind, { namespace, name }: ObjectKey): string {
  return `${group}/${kind} ${namespace}/${name}`;
}

/** Returns the key of the Cluster that an object belongs to; of a Cluster its own. */
export function clusterKeyOf(kind: Kind, object: KubeObject): ObjectKey | undefined {
  const { namespace, name } = objectKeyOf(object);
  const cluster = kind.kind === "Cluster" ? name : clusterNameOf(kind, object);
  return cluster === undefined ? undefined : { namespace, name: cluster };
}

/** The same as `<namespace>/<name>`. */
export function clusterNamed(kind: Kind, object: KubeObject): string | undefined {
  const key = clusterKeyOf(kind, object);
  return key === undefined ? undefined : workloadCluster(key);
}

const MAX_NAMES = 3;
/** The most names among which one is looked for that a person may have meant. */
const MAX_COMPARED = 1_000;

/** Returns names that a person may have meant by one that nothing has, the nearest first; at most three. */
export function nearNames(name: string, names: readonly string[]): readonly string[] {
  const most = Math.max(1, Math.floor(name.length / 3));
  return names
    .slice(0, MAX_COMPARED)
    .map((other) => ({ other, distance: distanceOf(name, other) }))
    .filter(({ other, distance }) => distance <= most || isPartOf(name, other))
    .toSorted((a, b) => a.distance - b.distance || compareText(a.other, b.other))
    .slice(0, MAX_NAMES)
    .map(({ other }) => other);
}

function isPartOf(a: string, b: string): boolean {
  return a.startsWith(`${b}-`) || b.startsWith(`${a}-`);
}

/** Returns the number of letters to insert, remove or replace. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...b].entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[at], row[at + 1], row[at]];
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
