import { setTimeout as sleep } from "node:timers/promises";
import { apiVersionOf, type Kind, type KubeObject } from "../../../../shared/api/kinds.ts";
import { sameJson } from "../../../../shared/api/path.ts";
import { type Snapshot, titleOf } from "../../../../shared/contract/rules/probe/subject.ts";
import { follow } from "./follow.ts";
import { lookUntil } from "./look-until.ts";
import { look, type Scratch } from "./scratch.ts";
import { sameState } from "./views.ts";

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
