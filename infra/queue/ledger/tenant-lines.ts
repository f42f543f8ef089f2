import type { Key } from "../../../shared/runtime/queue/key.ts";
import { Fifo } from "./fifo.ts";

/** A tenant counts as busy once so many of its keys were taken since its line was empty. */
const NEWCOMER_KEYS = 64;
/** Keys of newcomers in a row while a busy tenant waits. */
const NEWCOMERS_IN_A_ROW = 2;

/** Returns the tenant of a key: the part before its first `|`, empty without one. */
export function tenantOfKey(key: Key): string {
  const end = key.indexOf("|");
  return end < 0 ? "" : key.slice(0, end);
}

interface Line {
  readonly keys: Fifo;
  /** Keys taken since the line was empty. */
  taken: number;
}

/**
 * Keys in one line per tenant; the lines are visited in turn, so that a long line does not delay the others. A
 * tenant with few keys gets two of three turns, so that its keys do not even wait for half of the workers
 * (shared/decisions/0005-newcomers-first.md).
 */
export class TenantLines {
  readonly #lines = new Map<string, Line>();
  /** Tenants with a line, the next first. */
  readonly #newcomers = new Fifo();
  readonly #busy = new Fifo();
  #newcomersInARow = 0;

  add(key: Key): void {
    const tenant = tenantOfKey(key);
    const line = this.#lines.get(tenant) ?? { keys: new Fifo(), taken: 0 };
    this.#lines.set(tenant, line);
    if (line.keys.size === 0) this.#newcomers.add(tenant);
    line.keys.add(key);
  }

  delete(key: Key): void {
    const tenant = tenantOfKey(key);
    const line = this.#lines.get(tenant);
    line?.keys.delete(key);
    if (line?.keys.size === 0) this.#remove(tenant);
  }

  /** Takes the first key of the first tenant that may run one; the tenants before it keep their turns. */
  shift(mayRun: (tenant: string) => boolean): Key | undefined {
    const isBusyTurn = this.#newcomersInARow >= NEWCOMERS_IN_A_ROW;
    const [first, second] = isBusyTurn ? [this.#busy, this.#newcomers] : [this.#newcomers, this.#busy];
    return this.#takeFrom(first, mayRun) ?? this.#takeFrom(second, mayRun);
  }

  #takeFrom(turns: Fifo, mayRun: (tenant: string) => boolean): Key | undefined {
    for (const tenant of turns) {
      const line = this.#lines.get(tenant);
      if (line === undefined || !mayRun(tenant)) continue;
      const keepsBusyWaiting = turns === this.#newcomers && this.#busy.size > 0;
      this.#newcomersInARow = keepsBusyWaiting ? this.#newcomersInARow + 1 : 0;
      turns.delete(tenant);
      const key = line.keys.shift();
      line.taken += 1;
      if (line.keys.size === 0) this.#remove(tenant);
      else (line.taken < NEWCOMER_KEYS ? this.#newcomers : this.#busy).add(tenant);
      return key;
    }
    return undefined;
  }

  #remove(tenant: string): void {
    this.#lines.delete(tenant);
    this.#newcomers.delete(tenant);
    this.#busy.delete(tenant);
  }
}
