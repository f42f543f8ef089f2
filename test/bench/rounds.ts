import { loadavg } from "node:os";
import { round } from "./capstan-process.ts";

/** Who comes first has the page cache of the other to gain from. */
export function inTurn<T>(contenders: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? contenders : contenders.toReversed();
}

/** Prints what is measured next, with time and load of the machine. */
export function progress(what: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)}, load ${loadNow()}: ${what}`);
}

/** Processes that wanted one of the machine's cores, averaged over the last minute. */
export function loadNow(): number {
  const [load = 0] = loadavg();
  return round(load, 1);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
