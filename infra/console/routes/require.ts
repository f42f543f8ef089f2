import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { dnsLabel } from "../../../shared/api/meta.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import type { KeyState } from "../../../shared/runtime/queue/queue-port.ts";
import { type Cursor, pageOf } from "../../platform/cursor.ts";
import type { Place } from "../api/page.ts";
import type { Keys } from "../api/queue.ts";
import type { CommandLine } from "../ports.ts";
import { type Problem, problem } from "../problem.ts";
import { type Right, sees, type Viewer } from "../viewer.ts";

/** Whether the viewer sees a key; a malformed one is for those who see all. */
export function seesKey(viewer: Pick<Viewer, "sight">, key: string): boolean {
  const parts = parseKey(key);
  return parts === undefined ? viewer.sight === "all" : sees(viewer, parts.namespace);
}

/** The object that a key is about; a malformed key has none. */
export function objectOf(key: string): Place | undefined {
  const parts = parseKey(key);
  if (parts === undefined) return undefined;
  const { kind, namespace, name } = parts;
  return kind === "Cluster"
    ? { type: "cluster", namespace, name }
    : { type: "object", kind, namespace, name };
}

/** A state as the API writes it. */
export function shownState({ since, until, causes, ...state }: KeyState): Omit<Keys["items"][number], "key"> {
  return { ...state, since: since?.toISOString(), until: until?.toISOString(), causes };
}

/**
 * Throws the Problem of a viewer who does not see the namespace. It depends on the namespace alone, so it does not say
 * whether anything is there.
 */
export function requireNamespace(viewer: Viewer, namespace: string): void {
  if (sees(viewer, namespace)) return;
  throw problem("forbidden", `${viewer.name} may not list Clusters in this namespace`, BIND);
}

/** The same for the namespace of a key. */
export function requireKey(viewer: Viewer, key: string): void {
  if (seesKey(viewer, key)) return;
  throw problem("forbidden", `${viewer.name} may not list Clusters in the namespace of this key`, BIND);
}
/** Throws the Problem of a viewer of some namespaces: the sums of a whole function would show those of others. */
export function requireAll(viewer: Viewer): void {
  if (viewer.sight === "all") return;
  const next = "bind a ClusterRole with the verb list on clusters.cluster.x-k8s.io, in all namespaces";
  throw problem("forbidden", `${viewer.name} may not list Clusters in all namespaces`, next);
}

const BIND = "bind a role with the verb list on clusters.cluster.x-k8s.io in that namespace";

/** Throws the Problem of a viewer who may not act on all of these keys. A malformed key needs the right everywhere. */
export async function requireRight(
  viewer: Viewer,
  right: Exclude<Right, "pause">,
  keys: readonly string[],
): Promise<void> {
  for (const key of keys) requireKey(viewer, key);
  const places = [...new Set(keys.map((key) => parseKey(key)?.namespace))];
  const allowed = await Promise.all(places.map((namespace) => viewer.may(right, namespace)));
  const refused = places.find((_, at) => allowed[at] !== true);
  if (!allowed.includes(false)) return;
  const where = refused === undefined ? "in all namespaces" : `in namespace ${refused}`;
  throw problem("forbidden", `${viewer.name} may not ${right} dead letters ${where}`, GRANT);
}

/** The same of a viewer who may not pause or resume a function. */
export async function requirePause(viewer: Viewer, functionName: string): Promise<void> {
  if (await viewer.may("pause", functionName)) return;
  throw problem("forbidden", `${viewer.name} may not pause ${functionName}`, GRANT);
}
const GRANT =
  "bind a role on capstan.dev: create deadletters/requeue, delete deadletters, update functions/pause";

/** Returns the function of this name; throws the Problem that there is none. */
export function functionNamed(functions: readonly AnyFunction[], name = ""): AnyFunction {
  const found = functions.find(({ spec }) => spec.name === name);
  if (found !== undefined) return found;
  throw problem("notFound", "no function has this name", "take one of those that /api/v1/me lists");
}

/** Returns a kind that a function reconciles, by its name in any case. */
export function kindNamed(functions: readonly AnyFunction[], name = ""): Kind {
  const wanted = name.toLowerCase();
  const found = functions.find(({ spec }) => spec.reconciles.kind.toLowerCase() === wanted);
  if (found !== undefined) return found.spec.reconciles;
  throw problem("notFound", "no function reconciles this kind", "take the kind of one that /api/v1/me lists");
}

export const CLUSTER = Cluster as unknown as Kind;

/**
 * The Problem of an object that the read model does not hold. The namespace comes from a link, which any
 * page may have made: only what a namespace may be called gets into a command for a shell.
 */
export function unknownObject({ kind, plural, group }: Kind, namespace: string): Problem {
  const message = `the read model holds no ${kind} of this name: it does not exist, or no relay has listed it`;
  const scope = dnsLabel().safeParse(namespace).success ? `--namespace ${namespace}` : "--all-namespaces";
  return problem("notFound", message, `list them with: kubectl get ${plural}.${group} ${scope}`);
}

/** A command line that is on the PATH and finds its servers by itself. */
export const INSTALLED: CommandLine = { capstan: "capstan", cluster: "", queue: "" };

interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

interface Part {
  readonly limit: number;
  readonly after?: string | undefined;
}

/** Reads behind one answer: a viewer of one namespace in a fleet of hundreds gets shorter pages. */
const MAX_READS = 20;

/**
 * Reads pages until one is full of wanted items. It may be short, or empty, and still have a `next`: the search stops
 * after 20 reads. Throws the Problem of a cursor that no page gave out.
 */
export async function fullPage<T>(
  { limit, after }: Part,
  {
    read,
    isWanted,
  }: { readonly read: (part: Part) => Promise<Page<T>>; readonly isWanted: (item: T) => boolean },
): Promise<Page<T>> {
  const items: T[] = [];
  let next = after;
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    // Never more than there is room for, so that no item is read and then left out.
    const page = await read({ limit: limit - items.length, after: next }).catch(refuseCursor);
    items.push(...page.items.filter(isWanted));
    next = page.next;
    if (next === undefined || items.length >= limit) break;
  }
  return { items, ...(next === undefined ? {} : { next }) };
}

/** Returns a page of a list that is in memory; throws the Problem of a cursor that no page gave out. */
export function pageInMemory<T>(ordered: readonly T[], placeOf: (item: T) => Cursor, part: Part): Page<T> {
  try {
    return pageOf(ordered, placeOf, part);
  } catch (error) {
    return refuseCursor(error);
  }
}

/** Throws the Problem of a cursor that a reader takes for foreign, by a TypeError; other errors as they are. */
export function refuseCursor(error: unknown): never {
  if (!(error instanceof TypeError)) throw error;
  throw problem(
    "invalidField",
    "next: this list has not given out the cursor",
    "leave next out to begin at the first page",
    { field: "next" },
  );
}
