import type { Clock, Random } from "../../../shared/runtime/ports.ts";

/** Keys that are due later than so many ticks are found by an ordinary tick of any process. */
const ARM_BELOW_TICKS = 4;

export interface TickerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Time between two ticks, up to a fifth more or less, so that processes do not tick together. */
  readonly everyMs: number;
  /**
   * `isDue`: this process knows of a key that is due now. False: another process ticks, or there is nothing to tick for,
   * and this one looks again after two to four times `everyMs`. Must not reject.
   */
  readonly tick: (isDue: boolean) => Promise<boolean>;
}

/** Ticks again and again, one at a time, and earlier when something is due earlier. */
export class Ticker implements Disposable {
  readonly #options: TickerOptions;
  #cancel: () => void = () => undefined;
  /** When the timer fires; infinity while none is set. */
  #at = Number.POSITIVE_INFINITY;
  /** When the first key is due that this process knows of; infinity for none. */
  #dueAt = Number.POSITIVE_INFINITY;
  #isTicking: boolean = false;
  readonly #ended = new AbortController();

  constructor(options: TickerOptions) {
    this.#options = options;
    this.#arm(options.everyMs, false);
  }

  /** Ticks early if a key is due after `delayMs` and that is soon. */
  due(delayMs: number): void {
    const { clock, everyMs } = this.#options;
    if (delayMs >= ARM_BELOW_TICKS * everyMs) return;
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
    const { tick, everyMs, random, clock } = this.#options;
    this.#at = Number.POSITIVE_INFINITY;
    if (isDue) this.#dueAt = Number.POSITIVE_INFINITY;
    this.#isTicking = true;
    const hasTicked = await tick(isDue);
    this.#isTicking = false;
    const shares = hasTicked ? 0.8 + 0.4 * random.number() : 2 + 2 * random.number();
    const restMs = Math.round(everyMs * shares);
    const dueMs = Math.max(0, this.#dueAt - clock.now().getTime());
    if (dueMs < restMs) this.#arm(dueMs, true);
    else this.#arm(restMs, false);
  }
}
