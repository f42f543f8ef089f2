import type { RunResult } from "../play/run.ts";

/** Prints what a run has come to. */
export function printResult({ violations, struck, hash, steps, doneAfterMs }: RunResult): void {
  console.log(`trace ${hash}, ${steps} steps, users done after ${doneAfterMs / 1_000} s`);
  console.log(`${struck.length} faults:`);
  for (const { fault, at } of struck) console.log(`  ${fault} ${at}`);
  for (const violation of violations) console.log(violation);
  console.log(violations.length === 0 ? "no violation" : `${violations.length} violations`);
}
