import { isObject } from "../../../infra/platform/kube/kind-shapes.ts";
import { parseKubeconfig } from "../../../infra/platform/kube/kubeconfig.ts";
import type { ServerAccess } from "../../../infra/platform/kube/server-access.ts";
import type { Storage } from "../../../infra/playground/apiserver/entry.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { sameJson } from "../../../shared/api/path.ts";
import { withoutGeneratedNames } from "./generated-names.ts";
import { withoutOrder } from "./order-dependent.ts";
import type { World } from "./world.ts";

/** The objects at the end, comparable between runs: one line per object, by server, kind and name. */
export type State = ReadonlyMap<string, string>;

/** Kinds that are not part of the result. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "/events",
  "/namespaces",
  "apiextensions.k8s.io/customresourcedefinitions",
  "coordination.k8s.io/leases",
]);

/** Everything that exists, without what differs from run to run: uids, versions, times, tokens. */
export async function stateOf(world: World): Promise<State> {
  const isKnown = ({ object }: Listed): boolean => !world.ownerless.has(object.metadata.uid ?? "");
  return comparable((await objectsIn(world)).map((each) => (isKnown(each) ? each : withoutManagers(each))));
}

function withoutManagers({ type, object }: Listed): Listed {
  const metadata = { ...object.metadata, managedFields: undefined };
  return { type, object: { ...object, metadata } };
}

/** Everything that exists and is part of the result, Nodes of workload servers included. */
export async function objectsIn(world: World): Promise<readonly Listed[]> {
  const objects = [...objectsOf(world.management.storage)];
  for (const { address, access } of workloadServersOf(
    world.management.storage.collection("/secrets").values(),
  )) {
    const answer = await world.network.peek(address, "/api/v1/nodes", access).catch(() => undefined);
    if (answer === undefined) continue;
    const { items = [] } = JSON.parse(answer.text) as { readonly items?: readonly Shown[] };
    for (const node of items) objects.push({ type: "workload /nodes", object: node });
  }
  return objects;
}

/** The same objects under names that do not depend on chance. */
export function withSteadyNames(objects: readonly Listed[]): readonly Listed[] {
  const names = namesOf(objects.map(({ object }) => object));
  return withoutGeneratedNames(objects, (object) => mask(object, names));
}

/** Objects with the type they are listed under, as a state. */
export function comparable(found: readonly Listed[]): State {
  const objects = withSteadyNames(found).map(withoutOrder);
  const names = namesOf(objects.map(({ object }) => object));
  return new Map(
    objects
      .map(({ type, object }) => [`${type} ${keyOf(object)}`, mask(object, names)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Returns the differences, one line each; empty when both are the same. */
export function differencesOf(expected: State, found: State): readonly string[] {
  const lines: string[] = [];
  for (const [key, text] of expected) {
    const other = found.get(key);
    if (other === undefined) {
      lines.push(`missing: ${key}`);
      continue;
    }
    const [wanted, has] = isLost(other) ? [withoutOwners(text), withoutOwners(other)] : [text, other];
    if (wanted !== has) lines.push(`different: ${key}: ${firstDifference(wanted, has)}`);
  }
  for (const key of found.keys()) if (!expected.has(key)) lines.push(`not expected: ${key}`);
  return lines;
}

/** Where the server has lost who owns what, its managers are not compared. */
function isLost(found: string): boolean {
  return !found.includes('"managedFields":["');
}

function withoutOwners(text: string): string {
  return JSON.stringify(JSON.parse(text), (member, value: unknown) =>
    member === "managedFields" ? undefined : value,
  );
}

export interface Listed {
  /** `cluster.x-k8s.io/machinepools`, `workload /nodes`. */
  readonly type: string;
  readonly object: Shown;
}

export interface Shown {
  readonly metadata: Pick<KubeObject["metadata"], "namespace" | "name" | "uid">;
}

function* objectsOf(storage: Storage) {
  for (const [type, collection] of storage.collections) {
    if (LEFT_OUT.has(type)) continue;
    for (const object of collection.values()) yield { type, object: object as unknown as Shown };
  }
}

/** The servers that kubeconfig Secrets name. */
export function* workloadServersOf(secrets: Iterable<object>) {
  for (const secret of secrets) {
    const { value } = (Reflect.get(secret, "data") ?? {}) as { readonly value?: string };
    const text = value === undefined ? "" : Buffer.from(value, "base64").toString("utf8");
    const access = accessIn(text);
    if (access?.cert !== undefined) yield { address: access.server.host, access };
  }
}

/** A Secret may hold anything. */
function accessIn(text: string): ServerAccess | undefined {
  try {
    return parseKubeconfig(text);
  } catch {
    return undefined;
  }
}

function keyOf({ metadata }: Shown): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/** By uid: the name of the object that has it. */
export function namesOf(objects: readonly Shown[]): ReadonlyMap<string, string> {
  return new Map(objects.map((object) => [object.metadata.uid ?? "", keyOf(object)]));
}

/** Real workload servers listen where there is room. */
const MASKED: ReadonlySet<string> = new Set([
  "resourceVersion",
  "generation",
  "observedGeneration",
  "port",
  "sim.capstan.dev/issued-for",
]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** The simulated cloud draws addresses, and ends provider IDs with the instant of creation. */
const ADDRESS = /\b10\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g;
const INSTANCE = /(sim:\/\/[^/]+\/[^/]+\/)[0-9a-z]+/g;

function mask(object: Shown, names: ReadonlyMap<string, string>): string {
  return JSON.stringify(object, (member, value: unknown) => {
    if (MASKED.has(member)) return "*";
    if (member === "data" && "type" in object) return "*";
    if (member === "managedFields" && Array.isArray(value)) return ownersOf(value);
    if (isObject(value)) return sorted(value);
    if (typeof value !== "string") return value;
    return maskText(value, names);
  });
}

/** Without instants, uids and instances of the simulated cloud. */
export function maskText(text: string, names: ReadonlyMap<string, string>): string {
  if (TIME.test(text)) return "TIME";
  return text
    .replace(ADDRESS, "10.*")
    .replace(UID, (uid) => `uid of ${names.get(uid) ?? "nobody"}`)
    .replace(INSTANCE, "$1*");
}

/** Traces of a fault that plays another writer. */
const RACE_ANNOTATION = "capstan.dev/race";

/** Members in one order: the order of writing is not a difference. */
function sorted(value: object): object {
  const members = Object.entries(value)
    .map(
      ([name, member]) =>
        [name, name === "annotations" ? withoutRace(member) : inOrder(name, member)] as const,
    )
    .filter(([name, member]) => member !== undefined && !isSilent(name, member));
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Lists that the API treats as sets, and as a map: the order of two managers who add to one is not a difference. */
const SETS: ReadonlySet<string> = new Set(["conditions", "finalizers"]);

function inOrder(name: string, member: unknown): unknown {
  if (!SETS.has(name) || !Array.isArray(member)) return member;
  return member.filter((item) => !isRecovered(item)).sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

/** Health checks have these only after a failure, which a fault may have caused; True says that it is over. */
const AFTER_FAILURE = /^ExternalRemediation(Template|Request)Available$/;

function isRecovered(item: unknown): boolean {
  if (!isObject(item) || !AFTER_FAILURE.test(String(Reflect.get(item, "type")))) return false;
  return Reflect.get(item, "status") === "True";
}

function orderOf(item: unknown): string {
  return isObject(item) ? String(Reflect.get(item, "type")) : String(item);
}

/** `paused: false` says no more than its absence, nor does a `faults` that names none (X-44 ends by removing it). */
function isSilent(name: string, member: unknown): boolean {
  return name === "paused" ? member === false : name === "faults" && sameJson(member, {});
}

function withoutRace(annotations: unknown): unknown {
  if (!isObject(annotations) || !Object.hasOwn(annotations, RACE_ANNOTATION)) return annotations;
  const { [RACE_ANNOTATION]: _, ...others } = annotations as { readonly [name: string]: unknown };
  return Object.keys(others).length === 0 ? undefined : others;
}

/**
 * Fields that a kubelet owns of its Node, a user of a recreated object, a person by hand,
 * and whether the user or the autoscaler was the last to write the same number of replicas: their own business.
 */
const OTHERS: ReadonlySet<string | undefined> = new Set([
  "capstan-sim-autoscaler",
  "capstan-sim-cloud",
  "capstan-somebody",
  "capstan-user",
]);

function ownersOf(entries: readonly Entry[]): string[] {
  const lines = entries.flatMap((entry) => {
    const fields = OTHERS.has(entry.manager) ? undefined : withoutMap(entry.fieldsV1);
    return fields === undefined ? [] : [orderedEntry({ ...entry, fieldsV1: fields })];
  });
  return lines.sort((a, b) => (a < b ? -1 : 1));
}

interface Entry {
  readonly manager?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

/** Fields without the map around them: the first of two managers who add to a map owns it, even when it has left it. */
function withoutMap(fields: unknown, name = ""): unknown {
  if (!isObject(fields) || sameJson(fields, {})) return name === "f:annotations" ? undefined : fields;
  const members = Object.entries(fields)
    .filter(([member]) => member !== ".")
    .map(([member, field]) => [member, withoutMap(field, member)] as const)
    .filter(([, field]) => field !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** One manager's fields; when it wrote them is masked, and with it the order of the entries. */
function orderedEntry(entry: Entry): string {
  const fields = JSON.stringify(entry.fieldsV1, (_, value) => (isObject(value) ? sorted(value) : value));
  return `${entry.manager}/${entry.subresource ?? ""} ${fields}`;
}

const SHOWN = 60;

function firstDifference(a: string, b: string): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const from = Math.max(0, at - SHOWN);
  return `expected …${a.slice(from, at + SHOWN)}…, found …${b.slice(from, at + SHOWN)}…`;
}
