import type { AnyFunction } from "../../shared/function/define-function.ts";
import { messageOf } from "../../shared/function/errors.ts";
import { readFreshness } from "../../shared/runtime/read/signs.ts";
import { systemClock } from "../platform/clock.ts";
import { printError } from "../platform/terminal/print.ts";
import type { Backend } from "../queue/backends/backend.ts";
import { openHistory } from "./explain/open-history.ts";
import { type LetterSource, QUIET } from "./letter-source.ts";

/** Says on standard error, whatever the output is, which watches no longer bring changes to a queue. */
export async function reportSilences(backend: Backend): Promise<void> {
  if (!backend.capabilities.isShared) return;
  await using store = await backend.store({ log: QUIET });
  const { silences } = await readFreshness(store, systemClock.now());
  for (const { message } of silences) printError(message);
}

/** The same for keys that wait although no process serves their function. */
export async function reportUnserved(source: LetterSource, functions: readonly AnyFunction[]): Promise<void> {
  await using asked = await openHistory(source, functions, {});
  const [first] = (await asked.unserved?.()) ?? [];
  if (first?.late !== undefined) printError(first.late.message);
}

/** Says why neither is known, such as to a user of Redis without the right; everything else is shown. */
export function reportUnknown(error: unknown): void {
  printError(`whether relay and workers run is not known: ${messageOf(error)}`);
}
