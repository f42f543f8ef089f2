import type { Key } from "../../shared/runtime/key.ts";
import { Fifo } from "./fifo.ts";

/** The part of a key before its first `|`; empty when there is none. */
export function tenantOf(key: Key): string {
  const end = key.indexOf("|");
  return end < 0 ? "" : key.slice(0, end);
}

/** Keys in one line per tenant; the lines are visited in turn, so that a long one delays no other. */
export class TenantLines {
  readonly #lines = new Map<string, Fifo>();
  /** Tenants with a line, the next first. */
  readonly #turns = new Fifo();

  add(key: Key): void {
    const tenant = tenantOf(key);
    const line = this.#lines.get(tenant) ?? new Fifo();
    this.#lines.set(tenant, line);
    if (line.size === 0) this.#turns.add(tenant);
    line.add(key);
  }

  delete(key: Key): void {
    const tenant = tenantOf(key);
    this.#lines.get(tenant)?.delete(key);
    this.#tidy(tenant);
  }

  /** Takes the first key of the first tenant that may run one; every tenant in front of it keeps its turn. */
  shift(mayRun: (tenant: string) => boolean): Key | undefined {
    for (const tenant of this.#turns) {
      if (!mayRun(tenant)) continue;
      this.#turns.delete(tenant);
      const line = this.#lines.get(tenant);
      const key = line?.shift();
      if (line !== undefined && line.size > 0) this.#turns.add(tenant);
      this.#tidy(tenant);
      return key;
    }
    return undefined;
  }

  #tidy(tenant: string): void {
    if (this.#lines.get(tenant)?.size !== 0) return;
    this.#lines.delete(tenant);
    this.#turns.delete(tenant);
  }
}
