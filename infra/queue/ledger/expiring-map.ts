const SWEEP_FROM = 1_024;

/**
 * Values that expire at an instant (ms of the caller's clock). Expired values are removed whenever the map has doubled.
 */
export class ExpiringMap<V> {
  readonly #values = new Map<string, { readonly value: V; readonly until: number }>();
  #sweepAt = SWEEP_FROM;

  get(now: number, key: string): V | undefined {
    const held = this.#values.get(key);
    if (held === undefined) return undefined;
    if (held.until > now) return held.value;
    this.#values.delete(key);
    return undefined;
  }

  set(now: number, key: string, held: { readonly value: V; readonly until: number }): void {
    this.#values.set(key, held);
    if (this.#values.size < this.#sweepAt) return;
    for (const [other, { until }] of this.#values) if (until <= now) this.#values.delete(other);
    this.#sweepAt = Math.max(SWEEP_FROM, 2 * this.#values.size);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }
}
