import { compareText } from "../../shared/rules/conditions.ts";
import { FAULTS } from "./faults/known.ts";
import { ORACLES } from "./oracles/known.ts";
import type { PlannedFault } from "./plan.ts";

const ROWS = [...new Set(ORACLES.map(({ number }) => number))].sort(compareText);

/** How often every class was injected and changed the trace, and every row had something to check (6.7). */
export interface Coverage {
  /** Whether it changed the trace is known only where a fault struck alone. */
  note(struck: readonly PlannedFault[], isEffective?: boolean): void;
  noteChecks(evaluations: ReadonlyMap<string, number>): void;
  /** One line per class and one for all rows, those that never struck or never had anything to check included. */
  lines(): readonly string[];
}

export function createCoverage(): Coverage {
  const injected = new Map<string, number>();
  const effective = new Map<string, number>();
  const checks = new Map<string, number>();
  const count = (counts: Map<string, number>, number: string): void =>
    void counts.set(number, (counts.get(number) ?? 0) + 1);
  return {
    note(struck, isEffective) {
      for (const { fault } of struck) {
        count(injected, fault);
        if (isEffective === true) count(effective, fault);
      }
    },
    noteChecks(evaluations) {
      for (const [row, times] of evaluations) checks.set(row, (checks.get(row) ?? 0) + times);
    },
    lines: () => [
      ...FAULTS.map(({ number, title }) => {
        const times = `${String(injected.get(number) ?? 0).padStart(6)} injected`;
        const known =
          effective.size === 0 ? "" : `${String(effective.get(number) ?? 0).padStart(6)} effective`;
        return `${number} ${times}${known}  ${title}`;
      }),
      `evaluated: ${ROWS.map((row) => `${row} ${checks.get(row) ?? 0}`).join(", ")}`,
    ],
  };
}
