import fc from "fast-check";
import { playAgain, SEED } from "./seed.ts";

/**
 * In front of every test file (vitest.config.ts): failures of properties show their seed and how to play them again.
 */
function report<T>(run: fc.RunDetails<T>): void {
  if (!run.failed) return;
  const message = `${fc.defaultReportMessage(run)}\n\n${playAgain(run.seed)}`;
  throw new Error(message, { cause: run.errorInstance });
}

fc.configureGlobal({ seed: SEED, reporter: report });
