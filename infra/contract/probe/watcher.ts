import { setTimeout as sleep } from "node:timers/promises";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { sameJson } from "../../../shared/api/path.ts";
import type { Snapshot } from "../../../shared/contract/rules/probe/subject.ts";
import { lookUntil } from "./look-until.ts";
import { look, type Scratch } from "./scratch.ts";
import { sameState } from "./views.ts";

/** A life that cannot continue. */
export class LifeEnded extends Error {}

export interface WatchLimits {
  /** Of each wait. */
  readonly limitMs: number;
  /** How long nothing may change during a pause. */
  readonly restMs: number;
  /** Ends the waits. */
  readonly signal: AbortSignal;
}

/** Of each object; one that flaps changes at every look. */
const MAX_SEEN = 200;
/** A state that lasts for a quarter of the rest is quiet; one that flaps for six of them is taken as it is. */
const QUIET_PART = 4;
const FLAPPING_RESTS = 6;

/** Looks at a namespace again and again, and remembers whatever it has seen of the metadata of its objects. */
export class Watcher {
  readonly seen = new Map<string, KubeObject[]>();
  readonly #scratch: Scratch;
  readonly #limits: WatchLimits;

  constructor(scratch: Scratch, limits: WatchLimits) {
    this.#scratch = scratch;
    this.#limits = limits;
  }

  async look(): Promise<Snapshot> {
    this.#limits.signal.throwIfAborted();
    const snapshot = await look(this.#scratch);
    for (const [title, object] of snapshot) this.#remember(title, object);
    return snapshot;
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
