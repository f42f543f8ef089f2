import type { Clock } from "../../../../shared/runtime/ports.ts";
import { StatusError } from "../errors/status-error.ts";

const RETRY_MS = 1_000;

/** Items are worked on one after another, soon but not within the request that added them. */
export class WorkQueue {
  readonly #work: (item: string) => void;
  readonly #items = new Set<string>();
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;
  /** Items that could not be stored. */
  readonly #failed = new Set<string>();
  #cancelRetry: (() => void) | undefined;

  constructor(clock: Clock, work: (item: string) => void) {
    this.#clock = clock;
    this.#work = work;
  }

  /** An item that already waits is not added again. */
  add(item: string): void {
    this.#items.add(item);
    this.#schedule();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancelRetry?.();
    this.#items.clear();
    this.#failed.clear();
  }

  #schedule(): void {
    this.#cancel ??= this.#clock.after(0, () => this.#turn());
  }

  /** A bounded share of the event loop's turn, so that requests are answered in between. */
  #turn(): void {
    this.#cancel = undefined;
    let left = 64;
    for (const item of this.#items) {
      if (left-- === 0) break;
      this.#items.delete(item);
      this.#carryOut(item);
    }
    if (this.#items.size > 0) this.#schedule();
  }

  /** A change that cannot be stored, on a full disk for instance, is tried again later. */
  #carryOut(item: string): void {
    try {
      this.#work(item);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.#failed.add(item);
      this.#cancelRetry ??= this.#clock.after(RETRY_MS, () => this.#retry());
    }
  }

  #retry(): void {
    this.#cancelRetry = undefined;
    for (const item of this.#failed) this.add(item);
    this.#failed.clear();
  }
}
