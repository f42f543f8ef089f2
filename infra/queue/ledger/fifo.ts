/** Distinct keys in the order in which they came; adding, removing and taking the first cost the same at any length. */
export class Fifo {
  readonly #keys = new Set<string>();
  /**
   * A set's iterator continues behind its last value, also after additions; a new one would walk over all gaps again.
   */
  #cursor = this.#keys.values();

  get size(): number {
    return this.#keys.size;
  }

  /**
   * Iterates in order; keys may be deleted meanwhile. Costs more with every key that was ever deleted: for short lines.
   */
  [Symbol.iterator](): Iterator<string> {
    return this.#keys.values();
  }

  add(key: string): void {
    this.#keys.add(key);
  }

  delete(key: string): void {
    this.#keys.delete(key);
  }

  shift(): string | undefined {
    let next = this.#cursor.next();
    if (next.done === true) {
      this.#cursor = this.#keys.values();
      next = this.#cursor.next();
    }
    if (next.done === true) return undefined;
    this.#keys.delete(next.value);
    return next.value;
  }
}
