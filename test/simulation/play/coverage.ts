import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { FAULTS } from "../faults/known.ts";
import { nameOf, ORACLES } from "../oracles/known.ts";
import type { Needs, Oracle } from "../oracles/oracle.ts";
import type { Played } from "./player.ts";

const ROWS = [...new Set(ORACLES.map(({ number }) => number))].sort(compareText);

interface ClassCount {
  readonly fault: string;
  readonly title: string;
  readonly injected: number;
  /** How often it changed the trace; known only where every fault struck alone. */
  readonly effective?: number | undefined;
}

/** How often every class was injected and changed the trace, and every row had something to check. */
export interface Coverage {
  note(played: Played): void;
  /** Of all classes, those that never struck included. */
  readonly classes: readonly ClassCount[];
  /** By row, those that never had anything to check included. */
  readonly evaluated: { readonly [row: string]: number };
  /** An oracle that was never evaluated proves nothing; see `Gaps`. */
  readonly gaps: Gaps;
  /** One line per class, one for all rows, and one for every oracle that was never evaluated. */
  lines(): readonly string[];
}

/** Oracles that had nothing to check, by name. */
interface Gaps {
  /** A report with any of these fails. */
  readonly never: readonly string[];
  /** They need a workload, or a class of faults, that was not chosen. */
  readonly excused: { readonly [oracle: string]: string };
}

/** The played parts. */
export interface Chosen {
  readonly workloads: readonly string[];
  /** Classes that may strike. */
  readonly faults: readonly string[];
}

export function createCoverage(chosen: Chosen): Coverage {
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
  const timesOf = (oracles: readonly Oracle[]): number =>
    oracles.reduce((sum, oracle) => sum + (checks.get(nameOf(oracle)) ?? 0), 0);
  const evaluated = () =>
    Object.fromEntries(ROWS.map((row) => [row, timesOf(ORACLES.filter(({ number }) => number === row))]));
  const gaps = (): Gaps => {
    const idle = ORACLES.filter((oracle) => timesOf([oracle]) === 0);
    const isExcused = ({ needs }: Oracle): boolean => needs !== undefined && !isPlayed(needs, chosen);
    return {
      never: idle.filter((oracle) => !isExcused(oracle)).map(nameOf),
      excused: Object.fromEntries(
        idle.filter(isExcused).map((oracle) => [nameOf(oracle), oracle.needs?.why ?? ""]),
      ),
    };
  };
  return {
    note({ struck, isEffective, evaluations }) {
      for (const { fault } of struck) {
        count(injected, fault);
        if (isEffective === true) count(effective, fault);
      }
      for (const [oracle, times] of evaluations) count(checks, oracle, times);
    },
    get classes() {
      return classes();
    },
    get evaluated() {
      return evaluated();
    },
    get gaps() {
      return gaps();
    },
    lines: () => [
      ...classes().map(({ fault, title, injected: times, effective: changed }) => {
        const known = changed === undefined ? "" : `${String(changed).padStart(6)} effective`;
        return `${fault} ${String(times).padStart(6)} injected${known}  ${title}`;
      }),
      `evaluated: ${Object.entries(evaluated())
        .map(([row, times]) => `${row} ${times}`)
        .join(", ")}`,
      ...Object.entries(gaps().excused).map(([oracle, why]) => `not evaluated: ${oracle} (${why})`),
      ...gaps().never.map((oracle) => `never evaluated: ${oracle}`),
    ],
  };
}

/** Whether an oracle could have had something to check. */
function isPlayed({ workloads, faults }: Needs, chosen: Chosen): boolean {
  const isAny = (needed: readonly string[] | undefined, played: readonly string[]): boolean =>
    needed === undefined || needed.some((each) => played.includes(each));
  return isAny(workloads, chosen.workloads) && isAny(faults, chosen.faults);
}
