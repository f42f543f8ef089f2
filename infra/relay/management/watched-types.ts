import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import { type Kind, type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { missingRight, refusalText, remedyText } from "../../../shared/function/missing-right.ts";
import type { Store, TypeKey } from "../../../shared/runtime/ports.ts";
import type { Change } from "../../../shared/runtime/queue/route.ts";
import type { LoopStatus } from "../../../shared/runtime/read/loop-status.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { idOf, typesNamedBy } from "../declared-kinds.ts";
import type { Delivery } from "../delivery/delivery.ts";
import { untilAccepted } from "../retry.ts";
import { markWatched, snapshotOf } from "../snapshot.ts";
import { relistIfLost } from "../store-loss.ts";
import type { WatchConsumer } from "../watch/watch-consumer.ts";
import type { WatchLoop } from "../watch/watch-loop.ts";
import { Definitions, definedBy } from "./definitions.ts";
import { createDistrust, type Distrust, type DistrustOptions } from "./distrust.ts";
import {
  createManagementWatches,
  type ManagementWatches,
  type ManagementWatchesOptions,
} from "./management-watches.ts";

/**
 * Watches the types of the management server: every kind that a function reconciles or watches, as soon as its
 * CustomResourceDefinition exists, and every provider kind that a stored object references, in the version that the
 * CRD's contract labels choose. CustomResourceDefinitions themselves are always watched, and first.
 */
export interface WatchedTypes extends AsyncDisposable {
  /** Watches the types that a stored object references. */
  noteReferences(change: Change): void;
  /**
   * Returns the types whose first list is not complete: `static` ones before the relay is ready, `all` with provider
   * kinds.
   */
  pending(which: "static" | "all"): readonly string[];
  loops(): readonly LoopStatus[];
  /** Types whose watch is open: with it, silence means that nothing changes. */
  followed(): readonly TypeKey[];
  /** Lists types of which the store has lost data again, and closes them before. Calls `onLost` for each of them. */
  relistLost(onLost: () => void): Promise<void>;
}

export interface WatchedTypesOptions extends ManagementWatchesOptions, DistrustOptions {
  readonly store: Store;
  readonly delivery: Delivery;
  readonly signal: AbortSignal;
  /** Whether Secrets with manifests may be watched. Default `watch`. */
  readonly secrets?: "get" | "watch" | undefined;
  /** A type is complete; see `ListNews`. */
  readonly onListed: (kind: Kind, news: ListNews | undefined) => void;
}

interface WatchedType {
  readonly kind: Kind;
  readonly type: TypeKey;
  readonly loop: WatchLoop;
  /** Whether its list is complete; nothing is known of other types before that of CustomResourceDefinitions. */
  listed: boolean;
}

/** `first`: the type was not complete before, or the store had lost it. `restored`: the server was (KR-12). */
export type ListNews = "first" | "restored";

const CRD_TYPE: TypeKey = managementType(CustomResourceDefinition);

export function startWatchedTypes(options: WatchedTypesOptions): WatchedTypes {
  return new Types(options);
}

/** The words of a server that cannot convert what it has stored. */
const UNCONVERTED = "conversion webhook for ";

/**
 * Notes in the read model that the server lets this relay not list a type, or cannot: the conversion webhook of its
 * provider is away. Runs that wait for the list say so, since nothing else shows it to a person who looks at an object.
 * Other failures end by themselves. Every failed attempt notes it again, for the read model may have been lost.
 */
export function noteRefusal(store: Pick<Store, "advance">, type: TypeKey, error: unknown): void {
  if (!(error instanceof KubeError)) return;
  if (error.status !== 403 && !error.message.includes(UNCONVERTED)) return;
  store.advance(type, { refusal: refusalIn(error.message) }).catch(() => undefined);
}

/** A watch may begin with everything, or follow a list: whichever was refused, both are needed. */
function refusalIn(message: string): string {
  const right = missingRight(message);
  if (right === undefined) return message;
  return [
    refusalText({ ...right, verb: "list" }),
    remedyText({ ...right, verb: "get,list,watch" }),
    "for all that the providers here need: capstan rbac --from-cluster",
  ].join("; ");
}

class Types implements WatchedTypes {
  readonly #options: WatchedTypesOptions;
  readonly #definitions: Definitions;
  readonly #watches: ManagementWatches;
  readonly #namedBy: ReturnType<typeof typesNamedBy>;
  readonly #watched = new Map<string, WatchedType>();
  readonly #closing = new Set<Promise<void>>();
  readonly #crds: WatchedType;
  readonly #distrust: Distrust;

  constructor(options: WatchedTypesOptions) {
    this.#options = options;
    this.#distrust = createDistrust(options, () => this.#all());
    this.#definitions = new Definitions(options.functions, options.secrets);
    this.#watches = createManagementWatches(options);
    this.#namedBy = typesNamedBy(options.functions);
    const crds: WatchConsumer = {
      // Always listed: all of them decide which types are watched.
      resume: async () => {
        await options.delivery.resume(
          CRD_TYPE,
          await this.#watches.scopeOf(CustomResourceDefinition as Kind),
        );
        return undefined;
      },
      reduce: (object) => snapshotOf(object, []),
      listed: (items, list) => this.#crdsReplaced(items as readonly CustomResourceDefinition[], list),
      changed: async (objects) => {
        for (const object of objects) await this.#crdChanged(object);
      },
      deleted: (object) => this.#crdDeleted(object),
      reached: (resourceVersion) => options.delivery.reached(CRD_TYPE, resourceVersion),
      failed: (error) => noteRefusal(options.store, CRD_TYPE, error),
    };
    const kind = CustomResourceDefinition as Kind;
    const loop = this.#watches.start(kind, crds, () => options.store.list(CRD_TYPE, {}));
    this.#crds = { kind, type: CRD_TYPE, loop, listed: false };
  }

  noteReferences({ kind, cluster, after }: Change): void {
    if (after === undefined || cluster !== MANAGEMENT) return;
    for (const named of this.#namedBy(kind, after)) {
      if (this.#definitions.addReference(named)) this.#evaluate(named.id);
    }
  }

  pending(which: "static" | "all"): readonly string[] {
    if (!this.#crds.listed) return [idOf(CustomResourceDefinition)];
    return this.#definitions
      .wanted(which)
      .filter((id) => this.#definitions.choose(id) !== undefined && this.#watched.get(id)?.listed !== true);
  }

  loops(): readonly LoopStatus[] {
    return this.#all().flatMap(({ loop }) => (loop.parts ?? [loop]).map((each) => each.status()));
  }

  followed(): readonly TypeKey[] {
    return this.#all().flatMap(({ type, loop }) =>
      (loop.parts ?? [loop]).every((each) => each.status().state === "streaming") ? [type] : [],
    );
  }

  async relistLost(onLost: () => void): Promise<void> {
    const listed = this.#all().filter((each) => each.listed);
    const unserved = this.#crds.listed ? this.#definitions.unserved() : [];
    const looks = listed.map((each) =>
      relistIfLost(this.#options.delivery, each.type, each.loop, () => {
        this.#options.delivery.close(each.type);
        each.listed = false;
        onLost();
      }),
    );
    await Promise.all([...looks, ...unserved.map((kind) => this.#forgetIfLost(kind))]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all().map(({ loop }) => loop[Symbol.asyncDispose]()));
    await Promise.allSettled(this.#closing);
  }

  #all(): readonly WatchedType[] {
    return [this.#crds, ...this.#watched.values()];
  }

  #persist<T>(work: () => Promise<T>): Promise<T> {
    return untilAccepted(work, this.#options);
  }

  async #crdsReplaced(
    items: readonly CustomResourceDefinition[],
    { resourceVersion, restored }: Parameters<WatchConsumer["listed"]>[1],
  ): Promise<void> {
    this.#definitions.replace(items);
    const marked = items.map((crd) => this.#marked(crd));
    const scope = await this.#watches.scopeOf(CustomResourceDefinition as Kind);
    const ifRestored = () => this.#distrust.allBut(this.#crds.loop);
    const list = { resourceVersion, priority: "live", scope, restored, ifRestored } as const;
    this.#distrust.listed(this.#crds.loop);
    await this.#options.delivery.replace(CRD_TYPE, marked, list);
    this.#crds.listed = true;
    await Promise.all(this.#definitions.unserved().map((kind) => this.#forget(kind)));
    for (const id of new Set([...this.#definitions.wanted("all"), ...this.#watched.keys()]))
      this.#evaluate(id);
  }

  async #crdChanged(object: KubeObject): Promise<void> {
    const crd = snapshotOf(object, []) as CustomResourceDefinition;
    this.#definitions.put(crd);
    await this.#options.delivery.put(CRD_TYPE, [this.#marked(crd)], "live");
    this.#evaluate(definedBy(crd));
  }

  async #crdDeleted(object: KubeObject): Promise<void> {
    const crd = snapshotOf(object, []) as CustomResourceDefinition;
    this.#definitions.delete(crd);
    this.#evaluate(definedBy(crd));
    await this.#options.delivery.remove(CRD_TYPE, object);
  }

  #marked(crd: CustomResourceDefinition): CustomResourceDefinition {
    return this.#watched.get(definedBy(crd))?.listed === true ? markWatched(crd) : crd;
  }

  /** Starts or ends the watch of a type, according to its CRD and the references. */
  #evaluate(id: string): void {
    if (!this.#crds.listed || this.#options.signal.aborted) return;
    const chosen = this.#definitions.choose(id);
    const running = this.#watched.get(id);
    if (running !== undefined && running.kind.version !== chosen?.version) this.#stop(id, running);
    if (chosen === undefined || this.#watched.has(id)) return;
    if (this.#closing.size === 0) this.#start(chosen);
    // A type that is being forgotten must not remove the snapshots of its successor.
    else void Promise.allSettled(this.#closing).then(() => this.#evaluate(id));
  }

  #start(kind: Kind): void {
    const { store, delivery, log } = this.#options;
    const id = idOf(kind);
    const key = managementType(kind);
    const reduce = this.#watches.reducerOf(kind);
    const isComplete = async (news?: ListNews) => {
      const type = this.#watched.get(id);
      if (type?.loop === loop) await this.#complete(type, news);
    };
    const consumer: WatchConsumer = {
      reduce,
      stored: (at) => store.get(key, at),
      resume: async () => {
        const resourceVersion = await delivery.resume(key, await this.#watches.scopeOf(kind));
        if (resourceVersion === undefined) return undefined;
        return { resourceVersion, items: await store.list(key, {}) };
      },
      resumed: () => isComplete(),
      listed: async (items, { resourceVersion, upTo, first, since, restored }) => {
        const scope = await this.#watches.scopeOf(kind);
        const ifRestored = () => this.#distrust.allBut(loop);
        const priority = first ? "resync" : "live";
        const list = { resourceVersion, upTo, since, priority, scope, restored, ifRestored } as const;
        const isDistrusted = this.#distrust.listed(loop);
        const isRestored = (await delivery.replace(key, items, list)) || isDistrusted;
        await isComplete(isRestored ? "restored" : first ? "first" : undefined);
      },
      changed: (objects, upTo) => delivery.put(key, objects.map(reduce), "live", upTo),
      deleted: (object, upTo) => delivery.remove(key, object, upTo),
      reached: (resourceVersion) => delivery.reached(key, resourceVersion),
      gone: () => delivery.drop(key),
      failed: (error) => noteRefusal(store, key, error),
    };
    const loop: WatchLoop = this.#watches.start(kind, consumer, () => store.list(key, {}));
    this.#watched.set(id, { kind, type: key, loop, listed: false });
    log.info({ kind: kind.kind, group: kind.group, version: kind.version }, "watching a type");
  }

  async #complete(type: WatchedType, news: ListNews | undefined): Promise<void> {
    if (type.listed && news === undefined) return;
    type.listed = true;
    const crd = this.#definitions.of(idOf(type.kind));
    if (crd !== undefined) await this.#options.delivery.put(CRD_TYPE, [markWatched(crd)], "live");
    this.#options.onListed(type.kind, news);
  }

  #stop(id: string, { kind, loop }: WatchedType): void {
    this.#watched.delete(id);
    this.#distrust.listed(loop);
    void this.#closeWith(async () => {
      await loop[Symbol.asyncDispose]();
      await this.#forget(kind);
    });
  }

  /** Closes a type; no type starts meanwhile. Never rejects. */
  #closeWith(close: () => Promise<void>): Promise<void> {
    const closed = close().catch(() => undefined);
    this.#closing.add(closed);
    return closed.finally(() => this.#closing.delete(closed));
  }

  /** Forgets an unserved kind again when the store has lost its data: readers would wait for its objects. */
  async #forgetIfLost(kind: Kind): Promise<void> {
    const isLost = await this.#options.delivery.hasLost(managementType(kind)).catch(() => false);
    const isUnserved = this.#definitions.choose(idOf(kind)) === undefined && !this.#watched.has(idOf(kind));
    if (isLost && isUnserved) await this.#closeWith(() => this.#forget(kind));
  }

  /** Forgets a type. A type that functions name and that is not served then counts as complete and empty. */
  async #forget(kind: Kind): Promise<void> {
    const { store, delivery, signal } = this.#options;
    if (signal.aborted) return;
    await delivery.drop(managementType(kind));
    if (!this.#definitions.isStatic(idOf(kind))) return;
    // A store accepts the end of a list only after its beginning.
    for (const ready of [false, true])
      await this.#persist(() => store.advance(managementType(kind), { ready }));
  }
}
