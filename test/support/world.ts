import { createIssuer } from "../../infra/platform/pki/issuer.ts";
import { manifests } from "../../infra/platform/yaml/manifests.ts";
import { Connection, CustomResourceDefinition, Secret } from "../../shared/api/core.ts";
import { indexesOf } from "../../shared/api/indexes.ts";
import {
  apiVersionOf,
  type ClusterName,
  groupOf,
  type Kind,
  type KubeObject,
  MANAGEMENT,
  type ObjectKey,
  objectKeyOf,
} from "../../shared/api/kinds.ts";
import { sameJson, valueAt } from "../../shared/api/path.ts";
import type { AnyDecision, AnyFunction } from "../../shared/function/define-function.ts";
import { assert, WaitingError } from "../../shared/function/errors.ts";
import { isDeleting } from "../../shared/function/guards.ts";
import type { HealthReport } from "../../shared/function/health-report.ts";
import { itself } from "../../shared/function/mappings.ts";
import type { ListOptions, LiveReader } from "../../shared/function/reads.ts";
import type { SecretSummary } from "../../shared/function/secret-summary.ts";
import { checkDecision } from "../../shared/runtime/decide/check-decision.ts";
import { reachOf, withinReach } from "../../shared/runtime/decide/reach.ts";
import type { Clients, Issuer, KubeClient, Store, TypeKey } from "../../shared/runtime/ports.ts";
import { actsOnState } from "../../shared/runtime/queue/route.ts";
import { declaredFields, keepOnly } from "../../shared/runtime/read/kept-fields.ts";
import { createReader, type RecordingReader } from "../../shared/runtime/read/reader.ts";
import { anyKindOf } from "./all-kinds.ts";
import { FOO_CRDS } from "./builders.ts";
import { createFakePki } from "./fake-pki.ts";
import { withWrites } from "./with-writes.ts";

/** 2026-01-01T12:00:00Z: the time of every decision that names no other. */
export const NOW = new Date("2026-01-01T12:00:00Z");

interface Placed {
  readonly cluster: ClusterName;
  readonly object: KubeObject;
}

/** Snapshots, and what the API servers would answer; every method gives a new world. */
export interface World {
  readonly snapshots: readonly Placed[];
  readonly servers: readonly Placed[];
  readonly refusals: ReadonlyMap<ClusterName, Error>;
  /** Secrets by `namespace/name`, as `read.live.secret` shows them. */
  readonly summaries: ReadonlyMap<string, SecretSummary>;
  /** Objects of the workload cluster `<namespace>/<name>`. */
  inWorkload(cluster: ClusterName, ...objects: readonly KubeObject[]): World;
  /** The API server already has this object (version); the snapshots do not. */
  live(object: KubeObject, cluster?: ClusterName): World;
  /** The API server no longer has this object; the snapshots still do. */
  goneLive(object: KubeObject, cluster?: ClusterName): World;
  /** Neither the snapshots nor the server have this object. */
  without(object: KubeObject, cluster?: ClusterName): World;
  /** The API server of a workload cluster answers no live read but with this error. */
  refusing(cluster: ClusterName, error: Error): World;
  /** The API server has this Secret. */
  secret(summary: SecretSummary): World;
}

/** Objects of the management cluster. The CRDs of the builders' provider kinds are there as well. */
export function given(...objects: readonly KubeObject[]): World {
  const placed = [...FOO_CRDS, ...objects].map((object) => ({ cluster: MANAGEMENT, object: freeze(object) }));
  const world = distinct(placed);
  return createWorld({ snapshots: world, servers: world, refusals: new Map(), summaries: new Map() });
}

function createWorld(parts: Pick<World, "snapshots" | "servers" | "refusals" | "summaries">): World {
  const { snapshots, servers, refusals, summaries } = parts;
  const changed = (change: Partial<typeof parts>) => createWorld({ ...parts, ...change });
  return {
    snapshots,
    servers,
    refusals,
    summaries,
    inWorkload(cluster, ...objects) {
      const placed = objects.map((object) => ({ cluster, object: freeze(object) }));
      return changed({
        snapshots: distinct([...snapshots, ...placed]),
        servers: distinct([...servers, ...placed]),
      });
    },
    live: (object, cluster = MANAGEMENT) =>
      changed({ servers: distinct([...servers, { cluster, object: freeze(object) }]) }),
    goneLive: (object, cluster = MANAGEMENT) => changed({ servers: removed(servers, { cluster, object }) }),
    without: (object, cluster = MANAGEMENT) =>
      changed({
        snapshots: removed(snapshots, { cluster, object }),
        servers: removed(servers, { cluster, object }),
      }),
    refusing: (cluster, error) => changed({ refusals: new Map([...refusals, [cluster, error]]) }),
    secret(summary) {
      const object: Secret = { ...SECRET_IDENTITY, metadata: summary.metadata };
      return changed({
        servers: distinct([...servers, { cluster: MANAGEMENT, object }]),
        summaries: new Map([...summaries, [textOf(object), freeze(summary)]]),
      });
    },
  };
}

const SECRET_IDENTITY = { apiVersion: apiVersionOf(Secret), kind: Secret.kind };

function identityOf({ cluster, object }: Placed): string {
  const { namespace = "", name } = object.metadata;
  return [cluster, groupOf(object.apiVersion), object.kind, namespace, name].join(" ");
}

/** One object per identity: the last one wins. */
function distinct(placed: readonly Placed[]): readonly Placed[] {
  return [...new Map(placed.map((entry) => [identityOf(entry), entry])).values()];
}

function removed(placed: readonly Placed[], gone: Placed): readonly Placed[] {
  return placed.filter((entry) => identityOf(entry) !== identityOf(gone));
}

/** A function that acts on one state only has nothing to write in the other one, nor for an object that leaves it idle. */
function checkIdle({ spec }: AnyFunction, object: KubeObject, decision: AnyDecision): void {
  const isIdle = spec.isIdle?.(object) === true;
  const own = spec.watches.filter(({ toKeys }) => toKeys === itself).flatMap(({ fields }) => fields);
  const shown = keepOnly(["apiVersion", "kind", "metadata.name", ...own])(object);
  assert(isIdle === (spec.isIdle?.(shown) === true), `${spec.name} is idle by a field that does not wake it`);
  if (actsOnState(spec, isDeleting(object)) && !isIdle) return;
  const isLeft = isSent(decision);
  assert(
    !isLeft,
    `${spec.name} is not woken for this object (actsOn, isIdle), and decides something about it`,
  );
}

function isSent({ result, patch = [], ...rest }: AnyDecision): boolean {
  const patches = patch.filter(({ operations }) => operations.length > 0);
  return [patches, ...Object.values(rest)].some(
    (part) => part !== undefined && (!Array.isArray(part) || part.length > 0),
  );
}

/**
 * Returns the decision of a function in this world, about the only object of its kind or the one named. The reader and
 * the checks are the runtime's own: reading an undeclared kind, writing a field that is not owned, deleting without a
 * live read fail the test. So do a MachinePool status that the CRD would refuse, and a decision about an object that
 * does not wake the function.
 */
export async function decide(
  fn: AnyFunction,
  world: World,
  name?: string,
  now: Date = NOW,
): Promise<AnyDecision> {
  const kind = fn.spec.reconciles;
  const candidates = placedOf(world.snapshots, { cluster: MANAGEMENT, ...kind }).filter(
    (object) => name === undefined || object.metadata.name === name,
  );
  const [object] = candidates;
  assert(object !== undefined && candidates.length === 1, `name one of the ${kind.kind}s of this world`);
  const keep = (placed: Placed) => keptBy(fn, placed);
  const snapshots = world.snapshots.map(keep);
  const reader = readerOf(fn, { ...world, snapshots });
  const reach = reachOf(fn, object);
  const decision = await fn.step(keep({ cluster: MANAGEMENT, object }).object, {
    read: withinReach(reader, reach),
    now,
  });
  const withEverything = await fn.step(object, { read: withinReach(readerOf(fn, world), reach), now });
  const same = JSON.stringify(decision) === JSON.stringify(withEverything);
  assert(same, `${fn.spec.name} decides by a field that it does not declare in watches, reads or owns`);
  checkDecision(fn, object, decision, reader);
  checkIdle(fn, object, decision);
  checkStatus(kind, object, decision);
  if (fn.spec.settles === true) await checkSettled(fn, world, { object, decision, now });
  return decision;
}

/** A function that its own writes do not wake decides nothing more once they are made, and comes back no sooner. */
async function checkSettled(
  fn: AnyFunction,
  world: World,
  {
    object,
    decision,
    now,
  }: { readonly object: KubeObject; readonly decision: AnyDecision; readonly now: Date },
): Promise<void> {
  const after = (placed: Placed) => ({
    ...placed,
    object: freeze(withWrites(placed.object, object, decision)),
  });
  const snapshots = world.snapshots.map((placed) => keptBy(fn, after(placed)));
  const read = withinReach(
    readerOf(fn, { ...world, snapshots, servers: world.servers.map(after) }),
    reachOf(fn, object),
  );
  const written = after({ cluster: MANAGEMENT, object }).object;
  const again = await fn.step(keptBy(fn, { cluster: MANAGEMENT, object: written }).object, { read, now });
  const { apply = {}, own: _own, notBeforeMs: _floor, events: _events, ...sent } = again;
  const isOver = !isSent(sent) && sameJson(withWrites(written, written, { ...sent, apply }), written);
  assert(isOver, `${fn.spec.name} settles, and continues from what it has written`);
  assert(
    dueMs(again) >= dueMs(decision),
    `${fn.spec.name} settles, and comes back sooner after what it has written`,
  );
}

function dueMs({ result }: AnyDecision): number {
  return result.type === "requeue" ? result.afterMs : Number.POSITIVE_INFINITY;
}

/** Returns what a function says about an object for people, with what it declares and no more. */
export async function reported(
  fn: AnyFunction,
  world: World,
  name: string,
  now: Date = NOW,
): Promise<HealthReport> {
  const snapshots = world.snapshots.map((placed) => keptBy(fn, placed));
  const object = placedOf(snapshots, { cluster: MANAGEMENT, ...fn.spec.reconciles }).find(
    ({ metadata }) => metadata.name === name,
  );
  assert(object !== undefined && fn.report !== undefined, `${fn.spec.name} says nothing about ${name}`);
  return fn.report(object, { read: readerOf(fn, { ...world, snapshots }), now });
}

/** Returns the live reads of a run in this world, in order: `get Machine m1`, `list Pod`, `referenced FooMachine m1`. */
export async function liveReads(fn: AnyFunction, world: World, name: string): Promise<readonly string[]> {
  const object = placedOf(world.snapshots, { cluster: MANAGEMENT, ...fn.spec.reconciles }).find(
    ({ metadata }) => metadata.name === name,
  );
  assert(object !== undefined, `${name} is missing in this world`);
  const reader = readerOf(fn, world);
  const asked: string[] = [];
  const live: LiveReader = {
    get: (kind, key, cluster) => {
      asked.push(`get ${kind.kind} ${key.name}`);
      return reader.live.get(kind, key, cluster);
    },
    list: (kind, options, cluster) => {
      asked.push(`list ${kind.kind}`);
      return reader.live.list(kind, options, cluster);
    },
    referenced: (reference, namespace) => {
      asked.push(`referenced ${reference.kind} ${reference.name}`);
      return reader.live.referenced(reference, namespace);
    },
    secret: (key) => {
      asked.push(`secret ${key.name}`);
      return reader.live.secret(key);
    },
    manifests: (kind, key) => {
      asked.push(`manifests ${kind.kind} ${key.name}`);
      return reader.live.manifests(kind, key);
    },
  };
  await fn.step(object, { read: { ...reader, live }, now: NOW });
  return asked;
}

/** Kinds that the relay makes itself, or reduces for all functions alike. */
const MACHINERY: ReadonlySet<string> = new Set([Connection.kind, CustomResourceDefinition.kind]);

function readerOf(fn: AnyFunction, world: World): RecordingReader {
  const { describe, issue } = createIssuer(createFakePki());
  const issuer: Issuer = {
    issue,
    describe: (secret) => world.summaries.get(textOf(secret)) ?? describe(secret),
  };
  const sources = { store: storeOf(world), clients: clientsOf(world), issuer, manifests };
  return createReader({ function: fn, ...sources, stale: [] });
}

/** A snapshot with what the function declares and no more: undeclared fields decide nothing (KR-15, S-22). */
function keptBy(fn: AnyFunction, { cluster, object }: Placed): Placed {
  const group = groupOf(object.apiVersion);
  const kind = anyKindOf(group, object.kind) ?? {
    ...fn.spec.reconciles,
    group,
    kind: object.kind,
    crd: undefined,
  };
  const kept = MACHINERY.has(object.kind) ? object : keepOnly(declaredFields([fn], kind, "stored"))(object);
  return { cluster, object: freeze(kept) };
}

/** The status that a decision applies; fails when it applies none. */
export function appliedStatus<Status>(decision: AnyDecision): Status {
  const status: unknown = decision.apply?.["status"];
  assert(status !== undefined, "the decision applies no status");
  return status as Status;
}

/** Thousands of decisions are checked, and each schema is made once. */
const schemas = new Map<Kind, ReturnType<NonNullable<Kind["schema"]>> | undefined>();
function schemaOf(kind: Kind) {
  if (!schemas.has(kind)) schemas.set(kind, kind.schema?.());
  return schemas.get(kind);
}

function checkStatus(kind: Kind, object: KubeObject, decision: AnyDecision): void {
  const status: unknown = decision.apply?.["status"];
  if (status === undefined) return;
  const checked = schemaOf(kind)?.safeParse(JSON.parse(JSON.stringify({ ...object, status })));
  assert(checked?.success !== false, `the ${kind.kind} status is invalid: ${checked?.error?.message}`);
}

function placedOf(
  placed: readonly Placed[],
  type: { readonly cluster: ClusterName; readonly group: string; readonly kind: string },
): readonly KubeObject[] {
  return placed
    .filter(
      ({ cluster, object }) =>
        cluster === type.cluster && object.kind === type.kind && groupOf(object.apiVersion) === type.group,
    )
    .map(({ object }) => object);
}

/** The part of a store that a reader uses. */
export function storeOf({ snapshots }: Pick<World, "snapshots">): Store {
  const store: Pick<Store, "get" | "list" | "read" | "progress"> = {
    get: async (type, key) => placedOf(snapshots, type).find((object) => hasKey(object, key)),
    list: async (type, { namespace, index }) =>
      placedOf(snapshots, type)
        .filter((object) => namespace === undefined || object.metadata.namespace === namespace)
        .filter((object) => index === undefined || isIndexed(type, object, index))
        .toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1)),
    read: async (type, asked) => {
      const found = "name" in asked ? await store.get(type, asked) : await store.list(type, asked);
      return { found: found === undefined ? [] : [found].flat(), progress: await store.progress(type) };
    },
    progress: async () => ({ ready: true, resourceVersion: "100", scope: undefined }),
  };
  return store as Store;
}

function isIndexed(
  type: TypeKey,
  object: KubeObject,
  index: { readonly name: string; readonly values: readonly string[] },
): boolean {
  const entries = indexed.get(object) ?? indexesOf(anyKindOf(type.group, type.kind), object);
  indexed.set(object, entries);
  return entries.some((entry) => entry.name === index.name && index.values.includes(entry.value));
}

/** Objects of tests do not change, and random plays list them thousands of times. */
const indexed = new WeakMap<KubeObject, ReturnType<typeof indexesOf>>();

/** The live view. A workload cluster answers only while its Connection says so. */
function clientsOf({ snapshots, servers, refusals }: World): Clients {
  return {
    of(cluster) {
      if (cluster !== MANAGEMENT && !isConnected(snapshots, cluster))
        throw new WaitingError(`Connection ${cluster}`);
      const client: Pick<KubeClient, "get" | "list"> = {
        async get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey) {
          requireAnswer(refusals, cluster);
          return placedOf(servers, { cluster, ...kind }).find((object) => hasKey(object, key)) as
            | T
            | undefined;
        },
        async list<T extends KubeObject>(kind: Kind<T>, { namespace, where, fieldSelector }: ListOptions) {
          requireAnswer(refusals, cluster);
          const items = placedOf(servers, { cluster, ...kind }).filter(
            (object) =>
              (namespace === undefined || object.metadata.namespace === namespace) &&
              (where?.values.includes(String(valueAt(object, where.path))) ?? true) &&
              fulfils(object, fieldSelector),
          ) as readonly KubeObject[] as readonly T[];
          return { items, resourceVersion: "100" };
        },
      };
      return client as KubeClient;
    },
  };
}

/** One field that has one value. */
function fulfils(object: KubeObject, fieldSelector: string | undefined): boolean {
  const [path = "", value] = fieldSelector?.split("=") ?? [];
  return value === undefined || valueAt(object, path) === value;
}

function requireAnswer(refusals: World["refusals"], cluster: ClusterName): void {
  const refusal = refusals.get(cluster);
  if (refusal !== undefined) throw refusal;
}

function isConnected(snapshots: readonly Placed[], cluster: ClusterName): boolean {
  return placedOf(snapshots, { cluster: MANAGEMENT, ...Connection }).some(
    (object) => textOf(object) === cluster && (object as Connection).status.state === "connected",
  );
}

function hasKey(object: KubeObject, key: ObjectKey): boolean {
  return textOf(object) === `${key.namespace}/${key.name}`;
}

function textOf(object: KubeObject): string {
  const { namespace, name } = objectKeyOf(object);
  return `${namespace}/${name}`;
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) freeze(member);
  }
  return value;
}
