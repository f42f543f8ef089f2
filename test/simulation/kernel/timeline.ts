/** Something that happens at an instant. */
interface Due {
  readonly at: number;
  /** In which it was posted. */
  readonly order: number;
}

/** A heap of what is due later, by time and then by the order in which it was posted. What is void is passed over. */
export class Timeline<T extends Due> {
  readonly #heap: T[] = [];
  readonly #isVoid: (one: T) => boolean;

  constructor(isVoid: (one: T) => boolean) {
    this.#isVoid = isVoid;
  }

  /** In no order. */
  get all(): readonly T[] {
    return this.#heap.filter((one) => !this.#isVoid(one));
  }

  add(pending: T): void {
    const heap = this.#heap;
    let index = heap.push(pending) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  /** The instant of the next. */
  nextAt(): number | undefined {
    const heap = this.#heap;
    while (heap[0] !== undefined && this.#isVoid(heap[0])) this.#shift();
    return heap[0]?.at;
  }

  take(now: number): T | undefined {
    const at = this.nextAt();
    return at === undefined || at > now ? undefined : this.#shift();
  }

  #shift(): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || last === first) return first;
    heap[0] = last;
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      let least = index;
      if (left < heap.length && this.#isBefore(left, least)) least = left;
      if (left + 1 < heap.length && this.#isBefore(left + 1, least)) least = left + 1;
      if (least === index) return first;
      this.#swap(index, least);
      index = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return false;
    return one.at === other.at ? one.order < other.order : one.at < other.at;
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    if (one === undefined || other === undefined) return;
    this.#heap[a] = other;
    this.#heap[b] = one;
  }
}
