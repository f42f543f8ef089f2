import { setTimeout as sleep } from "node:timers/promises";
import { apiVersionOf, type Kind, type KubeObject } from "../../../../shared/api/kinds.ts";
import { sameJson } from "../../../../shared/api/path.ts";
import { type Snapshot, titleOf } from "../../../../shared/contract/rules/probe/subject.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { Clock } from "../../../../shared/runtime/ports.ts";
import { look, type Scratch } from "./scratch.ts";
import { sameState } from "./views.ts";

/** The length of one watch; then the kind is listed again. */
const WATCH_SECONDS = 300;
/** The pause before a watch is opened again. */
const PAUSE_MS = 1_000;
const MAX_ITEMS = 1_000;

type Place = Pick<Scratch, "client" | "namespace">;

interface Following {
  /** Called with each version of an object, in their order. */
  readonly seen: (object: KubeObject) => void;
  /** Ends the watches. */
  readonly signal: AbortSignal;
}

/**
 * Watches kinds in the namespace: whatever lasts for a moment only, such as a label that a provider takes away and core
 * gives back, is in no look. Resolves once every watch is open. Throws KubeError where the server refuses one.
 */
export async function follow(place: Place, kinds: readonly Kind[], following: Following): Promise<void> {
  const opening = kinds.map(
    (kind) =>
      new Promise<void>((resolve, reject) => {
        followKind(place, { ...following, kind, opened: resolve }).then(resolve, reject);
      }),
  );
  await Promise.all(opening);
}

interface FollowedKind extends Following {
  readonly kind: Kind;
  /** Called once a watch is open. */
  readonly opened: () => void;
}

async function followKind(place: Place, followed: FollowedKind): Promise<void> {
  const { signal } = followed;
  let isOpened = false;
  const opened = (): void => {
    isOpened = true;
    followed.opened();
  };
  while (!signal.aborted) {
    try {
      await listAndWatch(place, { ...followed, opened });
    } catch (error) {
      if (signal.aborted || isOfMissingKind(error)) return;
      if (!isOpened) throw error;
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function listAndWatch(
  { client, namespace }: Place,
  { kind, seen, signal, opened: accepted }: FollowedKind,
): Promise<void> {
  const { items, resourceVersion } = await client.list(kind, { namespace, maxItems: MAX_ITEMS });
  for (const item of items) seen(item);
  const options = { namespace, resourceVersion, timeoutSeconds: WATCH_SECONDS, accepted };
  for await (const { type, object } of client.watch(kind, options, signal)) {
    if (type === "ADDED" || type === "MODIFIED") seen(object);
  }
}

function isOfMissingKind(error: unknown): boolean {
  return error instanceof KubeError && error.reason === "TypeNotServed";
}

const LOOK_MS = 500;

interface Waiting {
  readonly clock: Pick<Clock, "now">;
  readonly limitMs: number;
  /** Ends the wait; without it only the limit does. */
  readonly signal?: AbortSignal;
}

/** Looks until something holds, or the limit is over; `last` is the newest look. */
export async function lookUntil<T>(
  look: () => Promise<T>,
  holds: (seen: T) => boolean,
  { clock, limitMs, signal }: Waiting,
): Promise<{ readonly seen: boolean; readonly last: T }> {
  const endsAt = clock.now().getTime() + limitMs;
  for (;;) {
    const last = await look();
    if (holds(last)) return { seen: true, last };
    if (clock.now().getTime() >= endsAt) return { seen: false, last };
    await sleep(LOOK_MS, undefined, signal === undefined ? {} : { signal });
  }
}

/** A life that cannot continue. */
export class LifeEnded extends Error {}

export interface WatchLimits {
  /** The limit of each wait. */
  readonly limitMs: number;
  /** How long nothing may change during a pause. */
  readonly restMs: number;
  /** Ends the waits. */
  readonly signal: AbortSignal;
}

/** The most versions seen of each object; one that flaps has no end. */
const MAX_SEEN = 200;
/** A state that lasts for a quarter of the rest is quiet; one that flaps for six of them is taken as it is. */
const QUIET_PART = 4;
const FLAPPING_RESTS = 6;

/** Looks at a namespace again and again, and remembers each version of the metadata of the provider objects in it. */
export class Watcher implements Disposable {
  readonly seen = new Map<string, KubeObject[]>();
  readonly #stop = new AbortController();
  readonly #scratch: Scratch;
  readonly #limits: WatchLimits;

  constructor(scratch: Scratch, limits: WatchLimits) {
    this.#scratch = scratch;
    this.#limits = limits;
  }

  /** Remembers every version from now on. Throws KubeError where the server refuses a watch. */
  async follow(): Promise<void> {
    const { kinds, roleOf } = this.#scratch;
    const isOfProvider = (kind: Kind): boolean => {
      const sample = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name: "" } };
      return roleOf(sample)?.isTemplate === false;
    };
    const signal = AbortSignal.any([this.#stop.signal, this.#limits.signal]);
    const seen = (object: KubeObject): void => this.#remember(titleOf(object), object);
    await follow(this.#scratch, kinds.filter(isOfProvider), { seen, signal });
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async look(): Promise<Snapshot> {
    this.#limits.signal.throwIfAborted();
    return look(this.#scratch);
  }

  /** Looks until something holds, or the limit is over. */
  until(
    holds: (snapshot: Snapshot) => boolean,
    limitMs = this.#limits.limitMs,
  ): Promise<{ readonly seen: boolean; readonly last: Snapshot }> {
    const { clock } = this.#scratch;
    return lookUntil(() => this.look(), holds, { clock, limitMs, signal: this.#limits.signal });
  }

  /** Looks until nothing has changed for a while. */
  async quiet(forMs = this.#limits.restMs / QUIET_PART): Promise<Snapshot> {
    let former: Snapshot = new Map();
    let since = this.#now();
    const { last } = await this.until((snapshot) => {
      if (!sameState(former, snapshot)) since = this.#now();
      former = snapshot;
      return this.#now() - since >= forMs;
    }, this.#limits.restMs * FLAPPING_RESTS);
    return last;
  }

  async rest(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#limits.signal });
  }

  #now(): number {
    return this.#scratch.clock.now().getTime();
  }

  #remember(title: string, object: KubeObject): void {
    const known = this.seen.get(title) ?? [];
    const former = known.at(-1);
    if (former !== undefined && sameJson(facts(former), facts(object))) return;
    if (known.length >= MAX_SEEN) return;
    this.seen.set(title, [...known, object]);
  }
}

function facts({ metadata }: KubeObject): unknown {
  const { uid, ownerReferences, labels, deletionTimestamp } = metadata;
  return { uid, ownerReferences, labels, deletionTimestamp };
}
