import { clusterNameOf, referencesOf } from "../../shared/api/indexes.ts";
import {
  type ContractReference,
  type Kind,
  type KubeObject,
  MANAGEMENT,
  type ObjectKey,
  objectKeyOf,
  workloadCluster,
} from "../../shared/api/kinds.ts";
import { kindOf } from "../../shared/api/registry.ts";
import { type AnyFunction, isContractKind } from "../../shared/function/define-function.ts";
import type { Store } from "../../shared/runtime/ports.ts";
import { resolveReference } from "../../shared/runtime/resolve-reference.ts";

/** An object with all objects of the read model that belong to it. */
export interface ObjectNode {
  readonly kind: Kind;
  readonly key: ObjectKey;
  /** Absent: referenced, but it does not exist. */
  readonly object: KubeObject | undefined;
  /** Why a reference leads nowhere. */
  readonly problem?: string;
  /** The problem is the definition of the kind, not the object: `<group>/<Kind>`. */
  readonly definition?: string;
  readonly children: readonly ObjectNode[];
  /** Further children of a kind that are left out. */
  readonly more: readonly string[];
}

/** A pool of a thousand Machines must still fit on a screen. */
const MAX_OF_A_KIND = 20;

interface Growing {
  readonly store: Store;
  /** Kinds whose objects may be children. */
  readonly kinds: readonly Kind[];
  readonly seen: Set<string>;
}

/**
 * Returns the object, the objects that it references, and those that it or its Cluster owns: Cluster →
 * infrastructure, control plane,
 * MachinePools → bootstrap configuration, infrastructure, Machines. Each object stands in it once.
 */
export async function objectTree(
  store: Store,
  functions: readonly AnyFunction[],
  root: { readonly kind: Kind; readonly object: KubeObject },
): Promise<ObjectNode> {
  const kinds = new Map(functions.flatMap(shownKinds).map((kind) => [`${kind.group}/${kind.kind}`, kind]));
  return grow({ store, kinds: [...kinds.values()], seen: new Set() }, root.kind, root.object);
}

/**
 * Kinds that a function reconciles, and Machines, which `kubectl get cluster-api` lists and no function
 * reconciles yet.
 */
function shownKinds({ spec: { reconciles, watches } }: AnyFunction): readonly Kind[] {
  const listed = watches.flatMap(({ on }) =>
    !isContractKind(on) && on.crd?.categories?.includes("cluster-api") === true ? [on] : [],
  );
  return [reconciles, ...listed];
}

async function grow(growing: Growing, kind: Kind, object: KubeObject): Promise<ObjectNode> {
  const key = objectKeyOf(object);
  growing.seen.add(idOf(kind, key));
  const children: ObjectNode[] = [];
  const more: string[] = [];
  for (const reference of referencesOf(kind, object)) {
    const child = await follow(growing, reference, key.namespace);
    // An object that a deleted object references is deleted first: its absence is not a problem.
    const isTakenDown = object.metadata.deletionTimestamp !== undefined && child?.object === undefined;
    if (child !== undefined && !isTakenDown) children.push(child);
  }
  for (const each of growing.kinds) {
    const found = (await belonging(growing, each, { kind, object })).filter(
      (one) => !growing.seen.has(idOf(each, objectKeyOf(one))),
    );
    const left = found.length - MAX_OF_A_KIND;
    if (left > 0) more.push(`${left} more of kind ${each.kind}`);
    for (const one of found.slice(0, MAX_OF_A_KIND)) children.push(await grow(growing, each, one));
  }
  return { kind, key, object, children, more };
}

async function follow(
  growing: Growing,
  reference: ContractReference,
  namespace: string,
): Promise<ObjectNode | undefined> {
  const key = { namespace, name: reference.name };
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
    return { kind, key, object: undefined, problem: resolved.message, definition, children: [], more: [] };
  }
  const kind = kindOf(resolved.kind.group, resolved.kind.kind) ?? resolved.kind;
  if (growing.seen.has(idOf(kind, key))) return undefined;
  const object = await growing.store.get({ cluster: MANAGEMENT, group: kind.group, kind: kind.kind }, key);
  if (object !== undefined) return grow(growing, kind, object);
  return { kind, key, object, problem: "does not exist", children: [], more: [] };
}

/** Returns the objects that this one controls; of a Cluster also those that name it and have no other controller. */
async function belonging(
  { store }: Growing,
  kind: Kind,
  parent: { readonly kind: Kind; readonly object: KubeObject },
): Promise<readonly KubeObject[]> {
  const type = { cluster: MANAGEMENT, group: kind.group, kind: kind.kind };
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

/** `<namespace>/<name>` of the Cluster an object belongs to. */
export function clusterNamed(kind: Kind, object: KubeObject): string | undefined {
  const { namespace, name } = objectKeyOf(object);
  const cluster = kind.kind === "Cluster" ? name : clusterNameOf(kind, object);
  return cluster === undefined ? undefined : workloadCluster({ namespace, name: cluster });
}
