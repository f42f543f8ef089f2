/** Something that happens at an instant (ms). */
export interface Due {
  readonly at: number;
  /** Of two with the same instant the lower one comes first. */
  readonly order: number;
}

/**
 * Binary heap, earliest first. Nothing is ever removed from its middle: its user decides when popping whether an element
 * still holds, and `keep` throws out the others before they outnumber the living.
 */
export class DueHeap<T extends Due> {
  #heap: T[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** All elements, in no order. */
  get all(): readonly T[] {
    return this.#heap;
  }

  peek(): T | undefined {
    return this.#heap[0];
  }

  push(one: T): void {
    this.#rise(this.#heap.push(one) - 1);
  }

  pop(): T | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return first;
  }

  keep(holds: (one: T) => boolean): void {
    // A sorted array is a heap.
    this.#heap = this.#heap.filter(holds).sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  #rise(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfBefore(index, parent)) return;
      index = parent;
    }
  }

  #sink(start: number): void {
    let index = start;
    for (;;) {
      const left = this.#heap[2 * index + 1];
      const right = this.#heap[2 * index + 2];
      if (left === undefined) return;
      const child = right !== undefined && isBefore(right, left) ? 2 * index + 2 : 2 * index + 1;
      if (!this.#swapIfBefore(child, index)) return;
      index = child;
    }
  }

  #swapIfBefore(lower: number, upper: number): boolean {
    const a = this.#heap[lower];
    const b = this.#heap[upper];
    if (a === undefined || b === undefined || !isBefore(a, b)) return false;
    this.#heap[upper] = a;
    this.#heap[lower] = b;
    return true;
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}
