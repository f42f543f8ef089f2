import { isObject } from "../../../infra/platform/kube/kind-shapes.ts";
import { fieldOwners } from "../../../infra/platform/kube/take-over.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { type Listed, maskText } from "../play/state.ts";

/** Fields that differ between runs, or repeat what the title of an object says. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...["apiVersion", "kind", "managedFields", "name", "namespace"],
  ...["uid", "resourceVersion", "generation", "creationTimestamp", "selfLink"],
]);

const CLUSTER_NAME = "cluster.x-k8s.io/cluster-name";

type Names = ReadonlyMap<string, string>;
type Owner = ReturnType<typeof fieldOwners>[number] & { readonly subresource: string };

/**
 * One line per value of an object, with the managers of its field behind it: `spec.replicas 3 ← user`. Its own name,
 * the beginning of it and the name of its Cluster are left open, so that objects of one kind can be compared.
 */
export function objectLines({ object }: Listed, names: Names): readonly string[] {
  const { name, labels, generation, managedFields = [] } = object.metadata as Metadata;
  const leaves = [...leavesOf(shown(object), "", generation)];
  const owners = managedFields.flatMap((entry) =>
    fieldOwners([entry]).map((owner): Owner => ({ ...owner, subresource: entry.subresource ?? "" })),
  );
  const lines = leaves.map(({ path, value }) => {
    const managers = owners.filter(({ field }) => isPartOf(path, field) || isPartOf(field, path)).map(nameOf);
    return [path, value, ...arrow(managers)].filter((part) => part !== "").join(" ");
  });
  const others = owners.filter(
    ({ field }) => !leaves.some(({ path }) => isPartOf(path, field) || isPartOf(field, path)),
  );
  const empty = others.map((owner) => [owner.field, "without a value", ...arrow([nameOf(owner)])].join(" "));
  const open: readonly (readonly [string | undefined, string])[] = [
    [withoutNumber(name), "NAME"],
    [name.split("-")[0], "BEGINNING"],
    [labels?.[CLUSTER_NAME], "CLUSTER"],
  ];
  const opened = (line: string): string =>
    open.reduce((text, [each, mask]) => replaceName(text, each, mask), line);
  return [...lines, ...empty].map((line) =>
    opened(withoutNumber(maskText(line, names)).replace(TIME, "TIME")),
  );
}

const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

/** `s1-*` instead of `s1-*-2`: which of several generated names is the second is chance. */
export function withoutNumber(text: string): string {
  return text.replaceAll(/(-\*(?:-data)?)-\d+/g, "$1");
}

type Metadata = Listed["object"]["metadata"] & {
  readonly labels?: { readonly [name: string]: string };
  readonly generation?: number;
  readonly managedFields?: readonly (Parameters<typeof fieldOwners>[0][number] & {
    readonly subresource?: string;
  })[];
};

/** Data of a Secret are different each time; their names are not. */
function shown(object: Listed["object"]): object {
  const data: unknown = Reflect.get(object, "data");
  if (!isObject(data) || !Object.hasOwn(object, "type")) return object;
  return { ...object, data: Object.fromEntries(Object.keys(data).map((name) => [name, "…"])) };
}

interface Leaf {
  readonly path: string;
  readonly value: string;
}

/** Paths are spelled as the managers' fields are. */
function* leavesOf(value: unknown, path: string, generation: number | undefined): Iterable<Leaf> {
  if (Array.isArray(value) && value.length > 0) {
    for (const each of value) yield elementOf(each, path, generation);
    return;
  }
  const isInner = isObject(value) && !Array.isArray(value) && Object.keys(value).length > 0;
  if (!isInner) {
    yield { path, value: path.endsWith("observedGeneration") ? age(value, generation) : plain(value) };
    return;
  }
  const isTop = path === "" || path === "metadata";
  for (const [name, member] of Object.entries(value).sort(([a], [b]) => compareText(a, b)))
    if (!(isTop && LEFT_OUT.has(name))) yield* leavesOf(member, below(path, name), generation);
}

function below(path: string, name: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return `${path}[${name}]`;
  return path === "" ? name : `${path}.${name}`;
}

/** A condition, a reference and a word of a set take one line each. */
function elementOf(element: unknown, path: string, generation: number | undefined): Leaf {
  if (!isObject(element)) return { path: `${path}[${String(element)}]`, value: "" };
  const { type, uid, lastTransitionTime: _, observedGeneration, ...rest } = element as Element;
  const key = path === "metadata.ownerReferences" ? uid : type;
  const reported =
    path === "metadata.ownerReferences" ? rest : { ...(uid === undefined ? {} : { uid }), ...rest };
  const words = Object.entries(reported).map(([name, value]) =>
    CONDITION.has(name) && type !== undefined ? String(value) : `${name} ${plain(value)}`,
  );
  const older = observedGeneration === undefined || observedGeneration === generation ? [] : ["(older)"];
  const value = [...words.filter((word) => word !== ""), ...older].join(", ");
  return { path: key === undefined ? path : `${path}[${key}]`, value };
}

interface Element {
  readonly type?: string;
  readonly uid?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

const CONDITION: ReadonlySet<string> = new Set(["status", "reason", "message"]);

function age(value: unknown, generation: number | undefined): string {
  return value === generation ? "current" : "older";
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function isPartOf(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
}

function nameOf({ manager, operation, subresource }: Owner): string {
  const part = subresource === "" ? "" : `/${subresource}`;
  return `${manager.replace(/^capstan-/, "")}${part}${operation === "Apply" ? "" : " (update)"}`;
}

function arrow(managers: readonly string[]): readonly string[] {
  return managers.length === 0 ? [] : ["←", [...new Set(managers)].sort(compareText).join(", ")];
}

function replaceName(text: string, name: string | undefined, open: string): string {
  if (name === undefined) return text;
  return text.replaceAll(new RegExp(`(?<![\\w.])${name.replaceAll(/[.*]/g, "\\$&")}(?![\\w])`, "g"), open);
}
