import type { Selection } from "../../api/indexes.ts";
import { indexesOf } from "../../api/indexes.ts";
import {
  type ClusterName,
  type ContractReference,
  type Kind,
  type KubeObject,
  MANAGEMENT,
  type ObjectKey,
} from "../../api/kinds.ts";
import type { ContractKind } from "../../contract/contract-kind.ts";
import type { Referenced } from "../../contract/referenced.ts";
import { type AnyFunction, describeReference, isContractKind } from "../../function/define-function.ts";
import { assert } from "../../function/errors.ts";
import type { Reader } from "../../function/reads.ts";
import type { Cause, Fence } from "../queue/queue-port.ts";
import { triggersOf } from "../queue/triggers.ts";
import { newestOf } from "../resource-version.ts";
import { readListed } from "./listed.ts";
import { createLiveReader, isKind, type LiveReaderOptions, objectText, type Seen } from "./live-reader.ts";
import { resolveListedReference } from "./resolve-reference.ts";

/** One read, as a dead letter and `explain` show it. */
interface ReadRecord {
  readonly source: "snapshot" | "live";
  readonly cluster: ClusterName;
  readonly kind: string;
  /** `namespace/name`, or the selection of a list. */
  readonly what: string;
  /** Versions of what was found; empty = not found. */
  readonly resourceVersions: readonly string[];
}

export interface RecordingReader extends Reader {
  /** A method: an object with a getter of its own has a hidden class of its own, which keeps the whole run alive. */
  records(): readonly ReadRecord[];
  /** Whether the object was read live in this run. */
  readLive(cluster: ClusterName, kind: Pick<Kind, "group" | "kind">, key: ObjectKey): boolean;
  /** The version that the last live read found; undefined when there was none, or no object. */
  liveVersion(cluster: ClusterName, kind: Pick<Kind, "group" | "kind">, key: ObjectKey): string | undefined;
  /** Returns live lists in place of snapshots, one fence per kind: the next run must not see less of it. */
  listedInstead(): readonly Fence[];
}

export interface ReaderOptions extends LiveReaderOptions {
  /** Objects whose snapshots stay behind their fence: they and lists of their kind are read live. */
  readonly stale: readonly Fence[];
  /** Changes that no snapshot may be older than. */
  readonly causes?: readonly Cause[] | undefined;
}

function typeText(cluster: ClusterName, { group, kind }: Pick<Kind, "group" | "kind">): string {
  return `${cluster} ${group}/${kind}`;
}

/** The key that stands, in a fence, for every object of the kind. */
const ALL: ObjectKey = { namespace: "", name: "" };

/** The reader of one run. Every read is recorded; reading an undeclared kind is a bug. */
export function createReader(options: ReaderOptions): RecordingReader {
  const { store } = options;
  const { spec } = options.function;
  const seen: Seen[] = [];
  const liveVersions = new Map<string, string | undefined>();
  const live = createLiveReader(options, { seen, versions: liveVersions });
  const stale = new Set(options.stale.map((fence) => objectText(fence.cluster, fence, fence)));
  const staleTypes = new Set(options.stale.map((fence) => typeText(fence.cluster, fence)));
  const listed = new Map<string, Fence>();
  const assertTriggers = triggersOf(options.causes ?? []);

  async function snapshot<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey,
    cluster: ClusterName,
  ): Promise<T | undefined> {
    const isBehind = stale.has(objectText(cluster, kind, key)) || stale.has(objectText(cluster, kind, ALL));
    if (isBehind) return live.get(kind, key, cluster);
    const type = { cluster, group: kind.group, kind: kind.kind };
    const [found] = await readListed(store, type, key);
    if (found !== undefined) assertTriggers(cluster, kind, [found]);
    seen.push({ source: "snapshot", cluster, kind, asked: key, found: [found] });
    return found as T | undefined;
  }

  return {
    records: () => seen.map(recordOf),
    live,
    readLive: (cluster, kind, key) => liveVersions.has(objectText(cluster, kind, key)),
    liveVersion: (cluster, kind, key) => liveVersions.get(objectText(cluster, kind, key)),
    listedInstead: () => [...listed.values()],
    async get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, cluster: ClusterName = MANAGEMENT) {
      requireWatched(spec, kind);
      return snapshot(kind, key, cluster);
    },
    async list<T extends KubeObject>(kind: Kind<T>, selection: Selection, cluster: ClusterName = MANAGEMENT) {
      requireWatched(spec, kind);
      const type = { cluster, group: kind.group, kind: kind.kind };
      const text = typeText(cluster, kind);
      if (staleTypes.has(text)) {
        const items = await live.list(kind, { namespace: selection.namespace }, cluster);
        const behind = options.stale.filter((fence) => typeText(fence.cluster, fence) === text);
        const versions = [...items.map(({ metadata }) => metadata), ...behind];
        listed.set(text, { ...type, ...ALL, resourceVersion: newestOf(versions) });
        return items.filter(selectedBy(kind, selection));
      }
      const found = await readListed(store, type, selection);
      assertTriggers(cluster, kind, found);
      seen.push({ source: "snapshot", cluster, kind, asked: selection, found });
      return found as readonly T[];
    },
    async referenced<T extends KubeObject>(
      reference: ContractReference,
      namespace: string,
    ): Promise<Referenced<T>> {
      requireContractWatched(spec, reference);
      const resolved = await resolveListedReference(store, reference);
      if (resolved.state === "unresolved") return resolved;
      const key = { namespace, name: reference.name };
      const object = await snapshot(resolved.kind as Kind as Kind<T>, key, MANAGEMENT);
      return object === undefined
        ? { ...resolved, state: "missing" }
        : { ...resolved, state: "found", object };
    },
  };
}

/** Returns whether an object that comes from the server is in the read model's selection. */
function selectedBy(kind: Kind, { index }: Selection): (object: KubeObject) => boolean {
  if (index === undefined) return () => true;
  const values = new Set(index.values);
  return (object) =>
    indexesOf(kind, object).some(({ name, value }) => name === index.name && values.has(value));
}

/** A pool of 5,000 asks for as many Nodes: a log line has no room for them. */
const withoutLongLists = (_name: string, value: unknown) =>
  Array.isArray(value) && value.length > 10 ? `${value.length} values` : value;

function recordOf({ source, cluster, kind, asked, found }: Seen): ReadRecord {
  return {
    source,
    cluster,
    kind: kind.kind,
    what: "name" in asked ? `${asked.namespace}/${asked.name}` : JSON.stringify(asked, withoutLongLists),
    resourceVersions: found.flatMap((object) => object?.metadata.resourceVersion ?? []),
  };
}

/** Reading a kind that a function does not watch is a bug: nothing would wake it. */
function requireWatched({ name, reconciles, watches }: AnyFunction["spec"], kind: Kind): void {
  const watched =
    isKind(reconciles, kind) ||
    watches.some(({ on }) => isKind(on, kind) || mayBeAnnounced(on, kind, reconciles));
  assert(watched, `${name} reads ${kind.kind}, which it does not watch`);
}

function requireContractWatched({ name, watches }: AnyFunction["spec"], reference: ContractReference): void {
  const watched = watches.some(({ on }) => isContractKind(on));
  assert(watched, `${name} reads ${describeReference(reference)} and watches no provider object`);
}

/** Which kind it is, only provider objects and references to templates say: any that is not of Cluster API's own group. */
function mayBeAnnounced(on: Kind | ContractKind, kind: Kind, reconciles: Kind): boolean {
  const isNamed = isContractKind(on) && (on.announcedBy !== undefined || on.derivedFrom !== undefined);
  return isNamed && kind.group !== reconciles.group;
}
