import { compareText } from "../../shared/rules/conditions.ts";
import { FAULTS } from "./faults/known.ts";
import { ORACLES } from "./oracles/known.ts";
import type { Played } from "./player.ts";

const ROWS = [...new Set(ORACLES.map(({ number }) => number))].sort(compareText);

interface ClassCount {
  readonly fault: string;
  readonly title: string;
  readonly injected: number;
  /** How often it changed the trace; known only where every fault struck alone. */
  readonly effective?: number | undefined;
}

/** How often every class was injected and changed the trace, and every row had something to check (6.7). */
export interface Coverage {
  note(played: Played): void;
  /** Of all classes, those that never struck included. */
  readonly classes: readonly ClassCount[];
  /** By row, those that never had anything to check included. */
  readonly evaluated: { readonly [row: string]: number };
  /** One line per class and one for all rows. */
  lines(): readonly string[];
}

export function createCoverage(): Coverage {
  const injected = new Map<string, number>();
  const effective = new Map<string, number>();
  const checks = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string, times = 1): void =>
    void counts.set(name, (counts.get(name) ?? 0) + times);
  const classes = (): readonly ClassCount[] =>
    FAULTS.map(({ number, title }) => ({
      fault: number,
      title,
      injected: injected.get(number) ?? 0,
      effective: effective.size === 0 ? undefined : (effective.get(number) ?? 0),
    }));
  const evaluated = () => Object.fromEntries(ROWS.map((row) => [row, checks.get(row) ?? 0]));
  return {
    note({ struck, isEffective, evaluations }) {
      for (const { fault } of struck) {
        count(injected, fault);
        if (isEffective === true) count(effective, fault);
      }
      for (const [row, times] of evaluations) count(checks, row, times);
    },
    get classes() {
      return classes();
    },
    get evaluated() {
      return evaluated();
    },
    lines: () => [
      ...classes().map(({ fault, title, injected: times, effective: changed }) => {
        const known = changed === undefined ? "" : `${String(changed).padStart(6)} effective`;
        return `${fault} ${String(times).padStart(6)} injected${known}  ${title}`;
      }),
      `evaluated: ${Object.entries(evaluated())
        .map(([row, times]) => `${row} ${times}`)
        .join(", ")}`,
    ],
  };
}
