import type { Clock } from "../../../shared/runtime/ports.ts";

/** The time between two looks of a process that has nothing to tick; a key that is due later is found by an ordinary look. */
const LOOK_TICKS = 4;

export interface TickerOptions {
  readonly clock: Clock;
  /** Ticks fall on its multiples: those of all functions of a process wake it once and go to Redis together. */
  readonly everyMs: number;
  /**
   * `isDue`: this process knows of a key that is due now. False: another process ticks, or there is nothing to tick for,
   * and this one looks again at the fourth multiple. Must not reject.
   */
  readonly tick: (isDue: boolean) => Promise<boolean>;
}

/** Ticks again and again, one at a time, and earlier when something is due earlier. */
export class Ticker implements Disposable {
  readonly #options: TickerOptions;
  #cancel = (): void => undefined;
  /** When the timer fires; infinity while none is set. */
  #at = Number.POSITIVE_INFINITY;
  /** When the first key is due that this process knows of; infinity for none. */
  #dueAt = Number.POSITIVE_INFINITY;
  #isTicking: boolean = false;
  readonly #ended = new AbortController();

  constructor(options: TickerOptions) {
    this.#options = options;
    this.#rest(1);
  }

  /** Ticks early if a key is due after `delayMs` and that is soon. */
  due(delayMs: number): void {
    const { clock, everyMs } = this.#options;
    if (delayMs >= LOOK_TICKS * everyMs) return;
    const now = clock.now().getTime();
    // The timer is late, or the clock was wrong when the timer was set: then `#at` does not say when it fires.
    const isOverdue = this.#at < now;
    const dueAt = isOverdue ? now : now + delayMs;
    if (this.#dueAt > dueAt || this.#dueAt < now) this.#dueAt = dueAt;
    if (!this.#isTicking && (isOverdue || this.#at > this.#dueAt)) this.#arm(this.#dueAt - now, true);
  }

  [Symbol.dispose](): void {
    this.#ended.abort();
    this.#cancel();
  }

  #arm(delayMs: number, isDue: boolean): void {
    this.#cancel();
    if (this.#ended.signal.aborted) return;
    const { clock } = this.#options;
    this.#at = clock.now().getTime() + delayMs;
    this.#cancel = clock.after(delayMs, () => void this.#tick(isDue));
  }

  async #tick(isDue: boolean): Promise<void> {
    this.#at = Number.POSITIVE_INFINITY;
    if (isDue) this.#dueAt = Number.POSITIVE_INFINITY;
    this.#isTicking = true;
    const hasTicked = await this.#options.tick(isDue);
    this.#isTicking = false;
    this.#rest(hasTicked ? 1 : LOOK_TICKS);
  }

  /** Ticks at the multiple of `everyMs` that comes after so many less one, or when something is due before it. */
  #rest(ticks: number): void {
    const { everyMs, clock } = this.#options;
    const now = clock.now().getTime();
    const restMs = ticks * everyMs - (now % everyMs);
    const dueMs = Math.max(0, this.#dueAt - now);
    this.#arm(Math.min(dueMs, restMs), dueMs < restMs);
  }
}
