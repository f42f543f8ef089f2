/** A key and the instant (ms) at which it is due. */
export interface Due {
  readonly at: number;
  readonly key: string;
  /** Keeps keys with the same instant in the order in which they came. */
  readonly order: number;
}

/**
 * Binary heap, earliest first. No element is removed from its middle: the caller of `pop` decides whether an element
 * still holds, and `keep` removes the others before they outnumber the valid ones.
 */
export class DueHeap {
  #heap: Due[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  peek(): Due | undefined {
    return this.#heap[0];
  }

  push(at: number, key: string): void {
    this.#heap.push({ at, key, order: this.#order++ });
    this.#rise(this.#heap.length - 1);
  }

  pop(): Due | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return first;
  }

  keep(holds: (due: Due) => boolean): void {
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
