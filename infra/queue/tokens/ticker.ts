import type { Clock, Random } from "../../../shared/runtime/ports.ts";

/** Keys that are due later than so many ticks are found by an ordinary tick of any process. */
const ARM_BELOW_TICKS = 4;

export interface TickerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Time between two ticks, up to a fifth more or less, so that processes do not tick together. */
  readonly everyMs: number;
  /** Must not reject. */
  readonly tick: () => Promise<void>;
}

/** Ticks again and again, one at a time, and earlier when something is due earlier. */
export class Ticker implements Disposable {
  readonly #options: TickerOptions;
  #cancel: () => void = () => undefined;
  /** When the timer fires; infinity while none is set. */
  #at = Number.POSITIVE_INFINITY;
  #underWay: Promise<void> | undefined;
  readonly #ended = new AbortController();

  constructor(options: TickerOptions) {
    this.#options = options;
    this.#arm(options.everyMs);
  }

  /** Ticks early if a key is due after `delayMs` and that is soon. */
  due(delayMs: number): void {
    if (delayMs < ARM_BELOW_TICKS * this.#options.everyMs) this.#arm(delayMs);
  }

  [Symbol.dispose](): void {
    this.#ended.abort();
    this.#cancel();
  }

  /** Ticks after `delayMs` at most; an earlier tick stays. */
  #arm(delayMs: number): void {
    const { clock } = this.#options;
    const now = clock.now().getTime();
    // The timer is late, or the clock was wrong when the timer was set: then `#at` does not say when it fires.
    const isOverdue = this.#at < now;
    const waitMs = isOverdue ? 0 : delayMs;
    if (this.#ended.signal.aborted || (!isOverdue && this.#at <= now + waitMs)) return;
    this.#cancel();
    this.#at = now + waitMs;
    this.#cancel = clock.after(waitMs, () => {
      this.#at = Number.POSITIVE_INFINITY;
      void this.#tick();
    });
  }

  async #tick(): Promise<void> {
    const { tick, everyMs, random } = this.#options;
    this.#underWay ??= tick();
    await this.#underWay;
    this.#underWay = undefined;
    this.#arm(everyMs * (0.8 + 0.4 * random.number()));
  }
}
