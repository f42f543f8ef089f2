import { CustomResourceDefinition } from "../../api/core.ts";
import type { Kind, KubeObject } from "../../api/kinds.ts";
import { segmentsOf } from "../../api/path.ts";
import type { ContractKind } from "../../contract/contract-kind.ts";
import { type AnyFunction, isContractKind } from "../../function/define-function.ts";

/**
 * Fields that the read model keeps of every object: its identity, its owners, and the fields that a patch must know of
 * its lists and maps. Labels as a whole: they are small, and a map that seems to be missing would be created over the
 * one that is there. Annotations by name only.
 */
const ALWAYS = [
  "apiVersion",
  "kind",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "metadata.resourceVersion",
  "metadata.generation",
  "metadata.creationTimestamp",
  "metadata.deletionTimestamp",
  "metadata.finalizers",
  "metadata.labels",
  "metadata.ownerReferences",
  "metadata.managers",
  "metadata.foreign",
  "metadata.isElsewhere",
  "metadata.pausedBy",
  "metadata.isSilent",
  "metadata.annotations[cluster.x-k8s.io/paused]",
];

/** The fields of kinds whose CRD is ours: what `up` shows, and what says that a connection is worth another try. */
const SHOWN = [
  "spec.controlPlaneEndpoint",
  "spec.replicas",
  "status.phase",
  "status.conditions",
  "status.initialization",
];

/**
 * Only what functions declare is kept (S-22), and what `up` shows. Anything else is a matter between the API server and
 * its users. Sorted.
 */
export function keptFields(functions: readonly AnyFunction[], kind: Kind): readonly string[] {
  const shown = kind.crd === undefined ? [] : SHOWN;
  return [...new Set([...declaredFields(functions, kind, "stored"), ...shown])].toSorted(byText);
}

/** Where fields are read: in the read model, or also in objects that come straight from the API server. */
type Source = "stored" | "live";

/**
 * Returns everything that these functions may decide by: what wakes them, what they read, own, patch, or leave to
 * others, and what objects are found by. Fields that they only read live are not `stored`.
 */
export function declaredFields(
  functions: readonly AnyFunction[],
  kind: Kind,
  source: Source,
): readonly string[] {
  const isMeant = (on: Kind | ContractKind) =>
    isContractKind(on) ? mayBeProviders(kind, on) : idOf(on) === idOf(kind);
  const declared = functions.flatMap(({ spec }) => [
    ...spec.watches.filter(({ on }) => isMeant(on)).flatMap(({ fields }) => fields),
    ...(spec.reads ?? [])
      .filter(({ on, liveOnly = false }) => isMeant(on) && (source === "live" || !liveOnly))
      .flatMap(({ fields }) => fields),
    ...(spec.ownsOn ?? [])
      .filter(({ kind: on, liveOnly = false }) => isMeant(on) && (source === "live" || !liveOnly))
      .flatMap(({ fields }) => fields),
    ...(isMeant(spec.reconciles) ? [...spec.owns, ...(spec.contested ?? [])] : []),
  ]);
  const found = [
    ...(kind.references ?? []),
    ...(kind.clusterNamePath === undefined ? [] : [kind.clusterNamePath]),
    ...(kind.indexes ?? []).map(({ path }) => path),
  ];
  return [...ALWAYS, ...found, ...declared];
}

const keepers = new WeakMap<AnyFunction, Map<string, (object: KubeObject) => KubeObject>>();

/**
 * Reduces objects of a kind that are read live to what the function declares. A list of which it declares one element
 * stays whole: a patch names elements by their place. Kept per function: a list may be long.
 */
export function keepDeclared(fn: AnyFunction, kind: Kind): (object: KubeObject) => KubeObject {
  const known = keepers.get(fn) ?? new Map<string, (object: KubeObject) => KubeObject>();
  keepers.set(fn, known);
  // No function declares fields of CRDs: which contract they serve is the same for all.
  const isCrd = idOf(kind) === idOf(CustomResourceDefinition);
  const keep =
    known.get(idOf(kind)) ?? (isCrd ? asItIs : keepOnly(declaredFields([fn], kind, "live"), "whole"));
  known.set(idOf(kind), keep);
  return keep;
}

/**
 * Any kind may be a provider's that is neither built into Kubernetes nor the one that references it; its name says
 * whether it is a template.
 */
function mayBeProviders(kind: Kind, { referencedBy, isTemplate }: ContractKind): boolean {
  return (
    kind.group.includes(".") &&
    kind.kind.endsWith("Template") === (isTemplate === true) &&
    !referencedBy.some((by) => idOf(by.kind) === idOf(kind))
  );
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/** The fields of a tree of paths; an empty one means all that is below. */
interface Fields extends Map<string, Fields> {}

/** The part of a list: all of it, or only the elements that are named. */
type ListPart = "whole" | "named";

/** A function that reduces an object to these fields (see `At`). Lists and maps that are there stay, maybe empty. */
export function keepOnly(
  fields: readonly string[],
  lists: ListPart = "named",
): (object: KubeObject) => KubeObject {
  const tree: Fields = new Map();
  // Shorter paths first, so that what is below a whole field adds nothing.
  for (const path of fields.toSorted((a, b) => a.length - b.length)) add(tree, segmentsOf(path));
  return (object) => keep(object, tree, lists) as KubeObject;
}

function add(tree: Fields, segments: readonly string[]): void {
  let at = tree;
  for (const [index, segment] of segments.entries()) {
    const known = at.get(segment);
    if (known?.size === 0) return;
    const next: Fields = index === segments.length - 1 ? new Map() : (known ?? new Map());
    at.set(segment, next);
    at = next;
  }
}

function keep(value: unknown, fields: Fields, lists: ListPart): unknown {
  if (fields.size === 0 || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return lists === "whole" ? value : value.flatMap((element: unknown) => keepElement(element, fields));
  }
  const kept: Record<string, unknown> = {};
  for (const [name, below] of fields) {
    if (Object.hasOwn(value, name)) kept[name] = keep(Reflect.get(value, name), below, lists);
  }
  return kept;
}

const MERGE_KEYS = ["type", "name", "uid", "key"];

/** An element of a list is entered by its merge key, which stays. */
function keepElement(element: unknown, fields: Fields): readonly unknown[] {
  if (typeof element !== "object" || element === null) return [element];
  for (const key of MERGE_KEYS) {
    const value: unknown = Reflect.get(element, key);
    const below = typeof value === "string" ? fields.get(value) : undefined;
    if (below === undefined) continue;
    const kept = keep(element, below, "named");
    return [typeof kept === "object" ? { [key]: value, ...kept } : kept];
  }
  return [];
}

function idOf({ group, kind }: Pick<Kind, "group" | "kind">): string {
  return `${group}/${kind}`;
}

function asItIs(object: KubeObject): KubeObject {
  return object;
}
