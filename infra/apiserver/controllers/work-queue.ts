import type { Clock } from "../../../shared/runtime/ports.ts";

/** Items are worked on one after another, soon but not within the request that added them. */
export class WorkQueue {
  readonly #work: (item: string) => void;
  readonly #items = new Set<string>();
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;

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
    this.#items.clear();
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
      this.#work(item);
    }
    if (this.#items.size > 0) this.#schedule();
  }
}
