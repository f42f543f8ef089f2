import { HASH_LABEL } from "../../../functions/machinedeployment/rules/given.ts";
import { DEPLOYMENT_NAME_LABEL } from "../../../shared/api/indexes.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";

/** One field of objects of one role in two worlds: all values that occur there. */
export interface Difference {
  /** `worker Machine status.conditions[Ready].message` */
  readonly field: string;
  readonly upstream: string;
  readonly here: string;
}

/** Fields of a time, a version or a secret: no two worlds have the same. */
const OF_A_WORLD = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "generation",
  "managedFields",
  "lastTransitionTime",
  "lastUpdated",
  "token",
  "caCertHashes",
]);
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const RANDOM_NAME = /^[a-z0-9.-]*-[a-z0-9]{5}$/;

/** Returns the fields in which the objects of two worlds differ, without what is random: names, times, versions. */
export function differencesOf(
  upstream: readonly KubeObject[],
  here: readonly KubeObject[],
): readonly Difference[] {
  const [theirs, ours] = [fieldsOf(upstream), fieldsOf(here)];
  return [...new Set([...theirs.keys(), ...ours.keys()])].toSorted(compareText).flatMap((field) => {
    const [one, other] = [textOf(theirs.get(field)), textOf(ours.get(field))];
    return one === other ? [] : [{ field, upstream: one, here: other }];
  });
}

function textOf(values: ReadonlySet<string> | undefined): string {
  return [...(values ?? ["absent"])].toSorted(compareText).join(" | ");
}

/** All values by field; objects of one role count as one. */
function fieldsOf(objects: readonly KubeObject[]): ReadonlyMap<string, ReadonlySet<string>> {
  const names = randomNames(objects);
  const fields = new Map<string, Set<string>>();
  const add = (field: string, value: unknown): void => {
    const text = names.reduce((so, [name, kind]) => so.replaceAll(name, kind), JSON.stringify(value));
    const values = fields.get(field) ?? new Set();
    fields.set(field, values.add(text.replaceAll(TIME, "<time>")));
  };
  for (const object of objects) {
    for (const [path, value] of stepsOf(object).flatMap(([step, member]) =>
      leavesOf(step.slice(1), member),
    )) {
      const isObserved = path.endsWith(".observedGeneration");
      const age = value === object.metadata.generation ? "current" : "older";
      add(`${roleOf(object)} ${path}`, isObserved ? age : value);
    }
  }
  return fields;
}

function leavesOf(path: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  return stepsOf(value).flatMap(([step, member]) => leavesOf(`${path}${step}`, member));
}

function stepsOf(value: object): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value)) return value.map((item, at) => [`[${keyOf(item, at)}]`, item] as const);
  return Object.entries(value).flatMap(([name, member]) =>
    OF_A_WORLD.has(name) ? [] : [[`.${name}`, member] as const],
  );
}

function keyOf(item: unknown, at: number): string {
  const { type, kind, version, name } = Object(item);
  return String(type ?? kind ?? version ?? name ?? at);
}

function roleOf({ kind, metadata, spec }: KubeObject & { readonly spec?: unknown }): string {
  const labels = metadata.labels ?? {};
  if (kind === "MachineSet") return `${Object(spec).replicas === 0 ? "old" : "current"} ${kind}`;
  if (Object.hasOwn(labels, "cluster.x-k8s.io/control-plane")) return `control plane ${kind}`;
  return Object.hasOwn(labels, DEPLOYMENT_NAME_LABEL) ? `worker ${kind}` : `${kind}`;
}

/** Names and hashes that a controller has made up, the longest first. */
function randomNames(objects: readonly KubeObject[]): readonly (readonly [string, string])[] {
  const names = objects.flatMap(({ kind, metadata: { name, labels } }): readonly [string, string][] => {
    if (kind === "MachineSet") {
      const hash = labels?.[HASH_LABEL];
      return [[name, "<set>"], ...(hash === undefined ? [] : [[hash, "<hash>"] as [string, string]])];
    }
    return RANDOM_NAME.test(name) ? [[name, `<machine>`]] : [];
  });
  return [...new Map(names)].toSorted(([a], [b]) => b.length - a.length);
}
