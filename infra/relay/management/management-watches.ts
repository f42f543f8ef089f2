import { WATCH_FILTER_LABEL } from "../../../shared/api/indexes.ts";
import {
  apiVersionOf,
  type Kind,
  type KubeObject,
  MANAGEMENT,
  type ObjectMeta,
} from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { knownKinds } from "../../../shared/function/known-kinds.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import { keepOnly, keptFields } from "../../../shared/runtime/read/kept-fields.ts";
import type { Server } from "../../platform/kube/client.ts";
import { contestedPaths, idOf } from "../declared-kinds.ts";
import { createIdentity, scopeOf } from "../scope.ts";
import { snapshotOf } from "../snapshot.ts";
import { createTurns } from "../turns.ts";
import { createComeback } from "../watch/comeback.ts";
import type { WatchConsumer } from "../watch/watch-consumer.ts";
import { startWatchLoop, type WatchLoop } from "../watch/watch-loop.ts";
import { createForeignWrites } from "./foreign-writes.ts";
import { startJoinedWatch } from "./joined-watch.ts";

/** Starts watches of the types of the management server, and reduces their objects to the fields that are kept. */
export interface ManagementWatches {
  /** `known` returns the objects of the kind that the consumer has. */
  start(kind: Kind, consumer: WatchConsumer, known: () => Promise<readonly KubeObject[]>): WatchLoop;
  reducerOf(kind: Kind): (object: KubeObject) => KubeObject;
  /**
   * Returns the scope that a stored version of the type must have for a watch to resume from it; asks the server for
   * its identity. Undefined when that is unknown.
   */
  scopeOf(kind: Kind): Promise<string | undefined>;
}

export interface ManagementWatchesOptions {
  readonly functions: readonly AnyFunction[];
  readonly server: Server;
  readonly clock: Clock;
  readonly log: Log;
  readonly random?: (() => number) | undefined;
  /** Keep objects of these namespaces only; absent or empty = all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Field managers whose contested fields the functions take over (KR-01). */
  readonly takeOverManagers?: readonly string[] | undefined;
  /** The filter beside another controller: one that changes the same fields is noticed. */
  readonly watchFilter?: string | undefined;
}

/** KR-09. */
const LISTS_AT_ONCE = 4;

export function createManagementWatches(options: ManagementWatchesOptions): ManagementWatches {
  const { functions, server, clock, log, random, watchFilter } = options;
  const { namespaces = [], takeOverManagers = [] } = options;
  const client = server.as("relay");
  const lists = createTurns(LISTS_AT_ONCE);
  const comeback = createComeback(clock);
  const contested = contestedPaths(functions);
  const kindOf = knownKinds(functions);
  const reconciled = new Set(functions.map(({ spec }) => idOf(spec.reconciles)));
  const identity = createIdentity(client, clock);
  const startLoop = (kind: Kind, consumer: WatchConsumer, namespace?: string): WatchLoop => {
    const resource = `${kind.plural}${kind.group === "" ? "" : `.${kind.group}`}`;
    const name = [MANAGEMENT, resource, namespace ?? []].flat().join(" ");
    const selector = namespace === undefined ? kind.metadataOnly : { ...kind.metadataOnly, namespace };
    return startWatchLoop({ clock, log, random, client, lists, comeback, name, kind, selector, consumer });
  };
  return {
    start(kind, consumer, known) {
      const [only, ...more] = kind.namespaced ? namespaces : [];
      if (more.length === 0) return startLoop(kind, consumer, only);
      const start = (namespace: string, own: WatchConsumer) => startLoop(kind, own, namespace);
      return startJoinedWatch({ namespaces, start, consumer, known });
    },
    reducerOf(kind) {
      const keep = keepOnly(keptFields(functions, kind));
      const paths = contested.get(idOf(kind)) ?? [];
      const shown = kind.metadataOnly === undefined ? undefined : metadataOf(kind);
      const reduce = (object: KubeObject) =>
        keep(snapshotOf(shown?.(object) ?? object, paths, takeOverManagers, kindOf));
      if (watchFilter === undefined || !reconciled.has(idOf(kind))) return reduce;
      // An operator who takes fields over has decided who the controller is.
      const writes = takeOverManagers.length > 0 ? undefined : createForeignWrites(clock, watchFilter);
      return (object) => {
        const foreign = writes?.note(object);
        const isOurs = object.metadata.labels?.[WATCH_FILTER_LABEL] === watchFilter;
        return marked(reduce(object), isOurs ? { foreign } : { isElsewhere: true });
      };
    },
    async scopeOf(kind) {
      const server = await identity();
      const marks = watchFilter === undefined ? [] : [watchFilter];
      const kept = [...keptFields(functions, kind), ...takeOverManagers, ...marks];
      if (server === undefined) return undefined;
      const [only, ...more] = namespaces;
      const isOne = kind.namespaced && only !== undefined && more.length === 0;
      return scopeOf(server, {
        kind,
        selector: isOne ? { namespace: only } : undefined,
        kept,
        namespaces: more.length > 0 ? namespaces : undefined,
      });
    },
  };
}

/** The server names neither version nor kind of an object of which it shows the metadata. */
function metadataOf(kind: Kind): (object: KubeObject) => KubeObject {
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  return ({ metadata }) => ({ ...type, metadata });
}

/** Adds facts that only a relay knows to a snapshot. */
function marked(snapshot: KubeObject, marks: Pick<ObjectMeta, "foreign" | "isElsewhere">): KubeObject {
  const known = Object.entries(marks).filter(([, value]) => value !== undefined);
  if (known.length === 0) return snapshot;
  return { ...snapshot, metadata: { ...snapshot.metadata, ...Object.fromEntries(known) } };
}
