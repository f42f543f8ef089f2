import { isObject } from "../../../infra/platform/kube/kind-shapes.ts";
import { sameJson } from "../../../shared/api/path.ts";
import type { Listed } from "./state.ts";

/** The pool marks a Node until a Machine claims it, and both mark it in the same way: who came first owns the marks. */
const NODE_MANAGERS: readonly string[] = ["capstan-machine-node", "capstan-machinepool-nodes"];

const MACHINES = "cluster.x-k8s.io/machines";

/** How many templates a deployment has had when it comes to rest: some are changed before their rollout has begun. */
const REVISIONS = /^(f:)?machinedeployment\.clusters\.x-k8s\.io\/revision(-history)?$/;

/** Members of the metadata that the guard of a kind puts back, and then owns, when a person has removed them. */
const MARKS: readonly string[] = ["f:finalizers", "f:labels"];
/** The guards of sets and of their deployment write the same owner on a template: who came first owns it. */
const TEMPLATE_MARKS: readonly string[] = [...MARKS, "f:ownerReferences"];

interface Managed {
  readonly manager?: string;
  readonly fieldsV1?: unknown;
}

/** The same object without what depends on which of two writers came first. */
export function withoutOrder({ type, object }: Listed): Listed {
  const metadata = object.metadata as Marked;
  const all = metadata.managedFields ?? [];
  const entries = type === MACHINES ? all.map(withoutOldConditions) : all;
  const managedFields =
    type === "workload /nodes"
      ? asOne(entries)
      : withMarksAsOne(type, entries.map(unrotated).map(withoutRevisions));
  const { annotations } = metadata;
  const marked = { ...metadata, managedFields, ...(annotations && { annotations: unrevised(annotations) }) };
  return { type, object: { ...object, metadata: marked } };
}

type Marked = Listed["object"]["metadata"] & {
  readonly managedFields?: readonly Managed[];
  readonly annotations?: { readonly [key: string]: string } | undefined;
};

function unrevised(annotations: NonNullable<Marked["annotations"]>): Marked["annotations"] {
  const kept = Object.entries(annotations).filter(([key]) => !REVISIONS.test(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function withoutRevisions(entry: Managed): Managed {
  const isKept = (name: string, value: unknown): unknown => (REVISIONS.test(name) ? undefined : value);
  return entry.fieldsV1 === undefined
    ? entry
    : { ...entry, fieldsV1: JSON.parse(JSON.stringify(entry.fieldsV1, isKept)) };
}

function asOne(entries: readonly Managed[]): readonly Managed[] {
  const isOfTwo = ({ manager = "" }: Managed): boolean => NODE_MANAGERS.includes(manager);
  const [first, ...more] = entries.filter(isOfTwo);
  if (first === undefined) return entries;
  const fieldsV1 = more.reduce((all, entry) => merged(all, entry.fieldsV1), first.fieldsV1);
  return [
    ...entries.filter((entry) => !isOfTwo(entry)),
    { ...first, manager: NODE_MANAGERS.join(" "), fieldsV1 },
  ];
}

/** Labels and finalizers belong to Capstan, not to one of its functions. */
function withMarksAsOne(type: string, entries: readonly Managed[]): readonly Managed[] {
  const names = type.endsWith("templates") ? TEMPLATE_MARKS : MARKS;
  let marks: unknown = {};
  const others = entries.map((entry) => {
    if (entry.manager?.startsWith("capstan-") !== true || !isObject(entry.fieldsV1)) return entry;
    const { "f:metadata": metadata, ...fields } = entry.fieldsV1;
    const members = Object.entries(isObject(metadata) ? metadata : {});
    marks = merged(marks, Object.fromEntries(members.filter(([name]) => names.includes(name))));
    const kept = Object.fromEntries(members.filter(([name]) => !names.includes(name) && name !== "."));
    return { ...entry, fieldsV1: { ...fields, ...(sameJson(kept, {}) ? {} : { "f:metadata": kept }) } };
  });
  const owning = others.filter(({ fieldsV1 }) => !sameJson(fieldsV1, {}));
  return sameJson(marks, {})
    ? owning
    : [...owning, { manager: "capstan", fieldsV1: { "f:metadata": marks } }];
}

/** A kubeconfig belongs to who rotated it last, and to its maker when it had gone meanwhile. */
function unrotated(entry: Managed): Managed {
  if (!isObject(entry.fieldsV1) || !Object.hasOwn(entry.fieldsV1, "f:data")) return entry;
  return { ...entry, fieldsV1: { ...entry.fieldsV1, "f:data": {} } };
}

/**
 * The conditions of v1beta1 are one list with one owner: a health check that has said something last, or the controller
 * whose left-over was removed last.
 */
function withoutOldConditions(entry: Managed): Managed {
  if (!isObject(entry.fieldsV1) || !isObject(entry.fieldsV1["f:status"])) return entry;
  const { "f:deprecated": _, ...status } = entry.fieldsV1["f:status"];
  const { "f:status": _all, ...others } = entry.fieldsV1;
  return { ...entry, fieldsV1: { ...others, ...(sameJson(status, {}) ? {} : { "f:status": status }) } };
}

function merged(a: unknown, b: unknown): unknown {
  if (!isObject(a) || !isObject(b)) return b ?? a;
  const both = new Map<string, unknown>(Object.entries(a));
  for (const [name, value] of Object.entries(b)) both.set(name, merged(both.get(name), value));
  return Object.fromEntries(both);
}
