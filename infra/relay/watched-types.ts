import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { referencesOf } from "../../shared/api/indexes.ts";
import { type Kind, type KubeObject, MANAGEMENT } from "../../shared/api/kinds.ts";
import { kindOf } from "../../shared/api/registry.ts";
import { contractOf } from "../../shared/contract/version.ts";
import { type AnyFunction, isContractKind } from "../../shared/runtime/define-function.ts";
import type { Clock, Log, Store, TypeKey } from "../../shared/runtime/ports.ts";
import type { Change } from "../../shared/runtime/route.ts";
import type { Server } from "../kube/client.ts";
import type { Delivery } from "./delivery.ts";
import { untilAccepted } from "./retry.ts";
import { markWatched, snapshotOf } from "./snapshot.ts";
import { createTurns } from "./turns.ts";
import { type LoopStatus, startWatchLoop, type WatchConsumer, type WatchLoop } from "./watch-loop.ts";

/**
 * Which types of the management server are watched: every kind that a function reconciles or watches, as soon as its
 * CustomResourceDefinition exists, and every provider kind that a stored object references, in the version that the
 * CRD's contract labels choose. CustomResourceDefinitions themselves are watched first and always.
 */
export interface WatchedTypes extends AsyncDisposable {
  /** Takes up what a stored object references. */
  noteReferences(change: Change): void;
  /** What still has to complete its first list: `static` before the relay is ready, `all` with the provider kinds. */
  pending(which: "static" | "all"): readonly string[];
  loops(): readonly LoopStatus[];
}

export interface WatchedTypesOptions {
  readonly functions: readonly AnyFunction[];
  readonly server: Server;
  readonly store: Store;
  readonly delivery: Delivery;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly random?: (() => number) | undefined;
  /** After the first list of a type. */
  readonly onListed: (kind: Kind) => void;
}

interface WatchedType {
  readonly kind: Kind;
  readonly loop: WatchLoop;
  listed: boolean;
}

/** KR-09. */
const LISTS_AT_ONCE = 4;
const CRD_TYPE: TypeKey = typeOf(CustomResourceDefinition);

export function startWatchedTypes(options: WatchedTypesOptions): WatchedTypes {
  const { server, store, delivery, log } = options;
  const wanted = staticKinds(options.functions);
  const contested = contestedPaths(options.functions);
  const referenced = new Set<string>();
  const crds = new Map<string, CustomResourceDefinition>();
  const watched = new Map<string, WatchedType>();
  const closing = new Set<Promise<void>>();
  const lists = createTurns(LISTS_AT_ONCE);
  const client = server.as("relay");
  let crdsListed = false;

  const watch = (kind: Kind, consumer: Omit<WatchConsumer, "reduce">) => {
    const paths = contested.get(idOf(kind)) ?? [];
    const reduce = (object: KubeObject) => snapshotOf(object, paths);
    const name = `${MANAGEMENT} ${kind.plural}${kind.group === "" ? "" : `.${kind.group}`}`;
    return startWatchLoop({ ...options, name, client, kind, lists, consumer: { reduce, ...consumer } });
  };

  const markListed = async (type: WatchedType) => {
    if (type.listed) return;
    type.listed = true;
    const crd = crds.get(idOf(type.kind));
    if (crd !== undefined) await delivery.put(CRD_TYPE, markWatched(crd), "live");
    options.onListed(type.kind);
  };
  const start = (kind: Kind) => {
    const key = typeOf(kind);
    const paths = contested.get(idOf(kind)) ?? [];
    // What an earlier relay left in the store is no proof of absence until the list is complete (KR-22).
    const unready = untilAccepted(() => store.advance(key, { ready: false }), options).catch(() => undefined);
    const loop = watch(kind, {
      async listed(items, list) {
        await unready;
        await delivery.replace(key, items, { ...list, urgency: list.first ? "resync" : "live" });
        const type = watched.get(idOf(kind));
        if (type?.loop === loop) await markListed(type);
      },
      changed: ({ type, object }) =>
        type === "DELETED"
          ? delivery.remove(key, object)
          : delivery.put(key, snapshotOf(object, paths), "live"),
      reached: (resourceVersion) => untilAccepted(() => store.advance(key, { resourceVersion }), options),
      gone: () => untilAccepted(() => store.drop(key), options),
    });
    watched.set(idOf(kind), { kind, loop, listed: false });
    log.info({ kind: kind.kind, group: kind.group, version: kind.version }, "watching");
  };
  const stop = (id: string, { kind, loop }: WatchedType) => {
    watched.delete(id);
    const close = async () => {
      await loop[Symbol.asyncDispose]();
      await forget(kind);
    };
    const closed = close();
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  };
  /** A type that is known not to be served has no objects. */
  const forget = async (kind: Kind) => {
    if (options.signal.aborted) return;
    await untilAccepted(() => store.drop(typeOf(kind)), options);
    if (wanted.has(idOf(kind)))
      await untilAccepted(() => store.advance(typeOf(kind), { ready: true }), options);
  };

  const choose = (id: string): Kind | undefined => {
    const crd = crds.get(id);
    const known = wanted.get(id);
    if (known !== undefined)
      return known.crd === undefined || isServed(crd, known.version) ? known : undefined;
    return crd !== undefined && referenced.has(id) ? providerKind(crd) : undefined;
  };
  const evaluate = (id: string) => {
    if (!crdsListed || options.signal.aborted) return;
    const chosen = choose(id);
    const running = watched.get(id);
    if (running !== undefined && running.kind.version !== chosen?.version) stop(id, running);
    if (chosen !== undefined && !watched.has(id)) {
      if (closing.size === 0) start(chosen);
      // A type that is being forgotten must not forget what its successor stores.
      else void Promise.allSettled(closing).then(() => evaluate(id));
    }
  };
  const marked = (crd: CustomResourceDefinition) =>
    watched.get(definedBy(crd))?.listed === true ? markWatched(crd) : crd;

  const crdLoop = watch(CustomResourceDefinition as Kind, {
    async listed(items, list) {
      crds.clear();
      for (const crd of items as readonly CustomResourceDefinition[]) crds.set(definedBy(crd), crd);
      await delivery.replace(CRD_TYPE, [...crds.values()].map(marked), { ...list, urgency: "live" });
      crdsListed = true;
      const missing = [...wanted.values()].filter((kind) => choose(idOf(kind)) === undefined);
      await Promise.all(missing.map(forget));
      for (const id of new Set([...wanted.keys(), ...referenced, ...watched.keys()])) evaluate(id);
    },
    async changed({ type, object }) {
      const crd = snapshotOf(object, []) as CustomResourceDefinition;
      const id = definedBy(crd);
      if (type === "DELETED") {
        crds.delete(id);
        evaluate(id);
        await delivery.remove(CRD_TYPE, object);
      } else {
        crds.set(id, crd);
        await delivery.put(CRD_TYPE, marked(crd), "live");
        evaluate(id);
      }
    },
    reached: (resourceVersion) => untilAccepted(() => store.advance(CRD_TYPE, { resourceVersion }), options),
  });

  const pending = (ids: Iterable<string>) =>
    [...ids].filter((id) => choose(id) !== undefined && watched.get(id)?.listed !== true);

  return {
    noteReferences({ kind, cluster, after }) {
      if (after === undefined || cluster !== MANAGEMENT) return;
      for (const reference of referencesOf(kindOf(kind.group, kind.kind), after)) {
        const id = `${reference.apiGroup}/${reference.kind}`;
        if (referenced.has(id)) continue;
        referenced.add(id);
        evaluate(id);
      }
    },
    pending(which) {
      if (!crdsListed) return [idOf(CustomResourceDefinition)];
      return pending(which === "static" ? wanted.keys() : new Set([...wanted.keys(), ...referenced]));
    },
    loops: () => [crdLoop, ...[...watched.values()].map(({ loop }) => loop)].map((loop) => loop.status()),
    async [Symbol.asyncDispose]() {
      const loops = [crdLoop, ...[...watched.values()].map(({ loop }) => loop)];
      await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()));
      await Promise.allSettled(closing);
    },
  };
}

/** Kinds that the functions name, without those that are no types of the management server's read model. */
function staticKinds(functions: readonly AnyFunction[]): ReadonlyMap<string, Kind> {
  const named = functions.flatMap(({ spec }) => [spec.reconciles, ...spec.watches.map(({ on }) => on)]);
  const kinds = named
    .flatMap((on) => (isContractKind(on) ? [] : [on]))
    .filter((kind) => !notListed.has(idOf(kind)));
  return new Map(kinds.map((kind) => [idOf(kind), kind]));
}

/** Nodes live on workload servers, Connections in the read model only, CRDs have their own loop, Secrets are never stored. */
const notListed: ReadonlySet<string> = new Set([
  "/Node",
  "/Secret",
  "capstan.dev/Connection",
  idOf(CustomResourceDefinition),
]);

function contestedPaths(functions: readonly AnyFunction[]): ReadonlyMap<string, readonly string[]> {
  const byKind = Map.groupBy(functions, ({ spec }) => idOf(spec.reconciles));
  return new Map(
    [...byKind].map(([id, group]) => [id, [...new Set(group.flatMap(({ spec }) => spec.contested ?? []))]]),
  );
}

function providerKind(crd: CustomResourceDefinition): Kind | undefined {
  const version = contractOf(crd)?.version;
  if (version === undefined) return undefined;
  const { group, names, scope } = crd.spec;
  return { group, version, kind: names.kind, plural: names.plural, namespaced: scope !== "Cluster" };
}

function isServed(crd: CustomResourceDefinition | undefined, version: string): boolean {
  return crd?.spec.versions.some(({ name, served }) => name === version && served) === true;
}

function idOf({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${group}/${kind}`;
}

function definedBy({ spec }: CustomResourceDefinition): string {
  return `${spec.group}/${spec.names.kind}`;
}

function typeOf({ group, kind }: { readonly group: string; readonly kind: string }): TypeKey {
  return { cluster: MANAGEMENT, group, kind };
}
