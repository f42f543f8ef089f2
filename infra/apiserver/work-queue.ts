/** Items are worked on one after another, soon but not within the request that added them. */
export class WorkQueue {
  readonly #work: (item: string) => void;
  readonly #items = new Set<string>();
  #scheduled: NodeJS.Immediate | undefined;

  constructor(work: (item: string) => void) {
    this.#work = work;
  }

  /** An item that already waits is not added again. */
  add(item: string): void {
    this.#items.add(item);
    this.#scheduled ??= setImmediate(() => this.#turn());
  }

  stop(): void {
    clearImmediate(this.#scheduled);
    this.#items.clear();
  }

  /** A bounded share of the event loop's turn, so that requests are answered in between. */
  #turn(): void {
    this.#scheduled = undefined;
    let left = 64;
    for (const item of this.#items) {
      if (left-- === 0) break;
      this.#items.delete(item);
      this.#work(item);
    }
    if (this.#items.size > 0) this.#scheduled ??= setImmediate(() => this.#turn());
  }
}
