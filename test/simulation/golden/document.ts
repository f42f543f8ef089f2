import { Document, isCollection, visit, type Node as YamlNode } from "yaml";
import { fieldOwners } from "../../../infra/platform/kube/field-owners.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { type Listed, maskText, namesOf } from "../play/state.ts";
import type { Workload } from "../workloads/workload.ts";
import type { Table, Tally } from "./tally.ts";

/** The whole result of a workload without faults, as text for people: one line per fact, in a stable order. */
export function goldenText(
  { number, title }: Workload,
  { history, events, requests }: Tally,
  objects: readonly Listed[],
): string {
  const total = [...requests.values()].flatMap((counts) => [...counts.values()]);
  const document = new Document(
    {
      workload: `${number} ${title}`,
      history: countsOf(history),
      events: countsOf(events),
      requests: { total: total.reduce((sum, count) => sum + count, 0), ...countsOf(requests) },
      objects: describedAll(objects),
    },
    { aliasDuplicateObjects: false },
  );
  visit(document, {
    Pair(_, { value }) {
      if (isCollection(value)) value.flow = isShort(value);
    },
    Collection(_, node) {
      if (isShort(node)) node.flow = true;
    },
  });
  return document.toString({ lineWidth: 0 });
}

const MAX_WIDTH = 90;

function isShort(node: YamlNode): boolean {
  return JSON.stringify(node).length <= MAX_WIDTH;
}

function countsOf(table: Table): object {
  return Object.fromEntries(
    ordered(table).map(([row, counts]) => [row, Object.fromEntries(ordered(counts))]),
  );
}

function ordered<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => compareText(a, b));
}

function describedAll(objects: readonly Listed[]): object {
  const names = namesOf(objects.map(({ object }) => object));
  const titled = new Map(objects.map(({ type, object }) => [titleOf({ type, object }), { type, object }]));
  /** By type and what is said of it, with its name left open. */
  const known = new Map<string, string>();
  const described = ordered(titled).map(([title, { type, object }]) => {
    const description = describe(object, names);
    const { name } = object.metadata;
    const pattern = `${type} ${JSON.stringify(description).replaceAll(name, "NAME")}`;
    const like = known.get(pattern);
    known.set(pattern, like ?? name);
    return [title, like === undefined ? description : `like ${like}`] as const;
  });
  return Object.fromEntries(described);
}

function titleOf({ type, object: { metadata } }: Listed): string {
  return `${type} ${metadata.namespace ?? ""}/${metadata.name}`;
}

interface ManagedEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
}

/** One object, with who manages which of its fields beside it. */
function describe(object: Listed["object"], names: ReadonlyMap<string, string>): object {
  const { metadata, ...rest } = object;
  const { managedFields = [], ...others } = metadata as typeof metadata & {
    readonly managedFields?: readonly ManagedEntry[];
  };
  const { generation } = others as { readonly generation?: number };
  const told = tell({ metadata: others, ...rest }, names, generation) as object;
  return { ...told, managers: managersOf(managedFields, names) };
}

/** Who has written which fields, in which way. */
function managersOf(entries: readonly ManagedEntry[], names: ReadonlyMap<string, string>): object {
  const managers = new Map<string, readonly string[]>();
  for (const entry of entries) {
    const { manager, operation, subresource = "" } = entry;
    const name = [manager, operation, subresource].filter((part) => part !== "").join(" ");
    const owned = fieldOwners([entry] as Parameters<typeof fieldOwners>[0]);
    const fields = owned.map(({ field }) => maskText(element(field), names));
    managers.set(name, [...new Set([...(managers.get(name) ?? []), ...fields])].sort(compareText));
  }
  return Object.fromEntries(ordered(managers));
}

/** Conditions and owners are written as a whole: `status.conditions[Ready]`. */
function element(field: string): string {
  return field.replace(/((?:conditions|ownerReferences)\[[^\]]*\])\..*/, "$1");
}

/** Fields that differ between runs, or repeat the key of the object. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "apiVersion",
  "kind",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "selfLink",
]);

function tell(value: unknown, names: ReadonlyMap<string, string>, generation: number | undefined): unknown {
  if (typeof value === "string") return maskText(value, names);
  if (Array.isArray(value)) return value.map((each) => conditionText(each) ?? tell(each, names, generation));
  if (typeof value !== "object" || value === null) return value;
  const isSecret = "data" in value && "type" in value;
  return Object.fromEntries(
    ordered(new Map(Object.entries(value))).flatMap(([name, member]) => {
      if (isTop(value) && LEFT_OUT.has(name)) return [];
      if (name === "observedGeneration") return [[name, member === generation ? "current" : "older"]];
      if (isSecret && name === "data") return [[name, Object.keys(member).sort(compareText)]];
      return [[name, tell(member, names, generation)]];
    }),
  );

  function conditionText(each: unknown): string | undefined {
    const { type, status, reason, message, observedGeneration, lastTransitionTime, ...more } = Object(each);
    if (type === undefined || status === undefined) return undefined;
    const age = observedGeneration === undefined || observedGeneration === generation ? "" : " (older)";
    const members = Object.entries(more).filter(([, member]) => member !== null);
    const rest = members.map(([name, member]) => `, ${name} ${String(member)}`);
    const why = [reason, message].filter((part) => part !== undefined && part !== "").join(": ");
    return maskText(`${type} ${status}${why === "" ? "" : ` ${why}`}${rest.join("")}${age}`, names);
  }
}

/** An object or its metadata, other than a reference. */
function isTop(value: object): boolean {
  return "metadata" in value || "resourceVersion" in value;
}
