import { type Kind, type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { ListOptions } from "../../../shared/function/reads.ts";
import { keepOnly, keptFields } from "../../../shared/runtime/kept-fields.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import type { Server } from "../../kube/client.ts";
import { contestedPaths, idOf } from "../declared-kinds.ts";
import { createIdentity, scopeOf } from "../scope.ts";
import { snapshotOf } from "../snapshot.ts";
import { createTurns } from "../turns.ts";
import type { WatchConsumer } from "../watch/watch-consumer.ts";
import { startWatchLoop, type WatchLoop } from "../watch/watch-loop.ts";

/** Starts watches of the types of the management server, and reduces their objects to the fields that are kept. */
export interface ManagementWatches {
  /** Whether an object is in the namespaces that are looked at. */
  isMeant(object: KubeObject): boolean;
  start(kind: Kind, consumer: WatchConsumer): WatchLoop;
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
}

/** KR-09. */
const LISTS_AT_ONCE = 4;

export function createManagementWatches(options: ManagementWatchesOptions): ManagementWatches {
  const { functions, server, clock, log, random, namespaces = [], takeOverManagers = [] } = options;
  const client = server.as("relay");
  const lists = createTurns(LISTS_AT_ONCE);
  const contested = contestedPaths(functions);
  const identity = createIdentity(client, clock);
  const [only, ...more] = namespaces;
  // Several are one watch of all, for one resume version per type; the rest of the objects is dropped here.
  const selectorOf = (kind: Kind): ListOptions | undefined =>
    kind.namespaced && only !== undefined && more.length === 0 ? { namespace: only } : undefined;
  return {
    isMeant({ metadata: { namespace } }) {
      return only === undefined || namespace === undefined || namespaces.includes(namespace);
    },
    start(kind, consumer) {
      const name = `${MANAGEMENT} ${kind.plural}${kind.group === "" ? "" : `.${kind.group}`}`;
      const selector = selectorOf(kind);
      return startWatchLoop({ clock, log, random, client, lists, name, kind, selector, consumer });
    },
    reducerOf(kind) {
      const keep = keepOnly(keptFields(functions, kind));
      const paths = contested.get(idOf(kind)) ?? [];
      return (object) => keep(snapshotOf(object, paths, takeOverManagers));
    },
    async scopeOf(kind) {
      const server = await identity();
      const kept = [...keptFields(functions, kind), ...takeOverManagers];
      if (server === undefined) return undefined;
      return scopeOf(server, {
        kind,
        selector: selectorOf(kind),
        kept,
        namespaces: more.length > 0 ? namespaces : undefined,
      });
    },
  };
}
