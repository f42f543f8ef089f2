import { type Due, DueHeap } from "./due-heap.ts";

/**
 * Operations that are due later, by time and then by the order in which they were posted. Void ones are passed over.
 */
export class Timeline<T extends Due> {
  readonly #heap = new DueHeap<T>();
  readonly #isVoid: (one: T) => boolean;

  constructor(isVoid: (one: T) => boolean) {
    this.#isVoid = isVoid;
  }

  /** All that are not void, in no order. */
  get all(): readonly T[] {
    return this.#heap.all.filter((one) => !this.#isVoid(one));
  }

  add(pending: T): void {
    this.#heap.push(pending);
  }

  /** The instant of the next. */
  nextAt(): number | undefined {
    for (let next = this.#heap.peek(); next !== undefined; next = this.#heap.peek()) {
      if (!this.#isVoid(next)) return next.at;
      this.#heap.pop();
    }
    return undefined;
  }

  take(now: number): T | undefined {
    const at = this.nextAt();
    return at === undefined || at > now ? undefined : this.#heap.pop();
  }
}
