import { SECOND } from "../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { ReadHistory } from "../../../shared/runtime/letters/run-history.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { rest } from "../../platform/rest.ts";
import { type Member, runsOf } from "./families.ts";

const LOOK_MS = 100;
const WITHIN_MS = 60 * SECOND;
/** No run lasts longer: a worker ends it. */
const LONGEST_RUN_MS = 30 * SECOND;

/**
 * Waits until the runs of Capstan for these paused objects that began before the pause have ended: by its queue where it
 * can be asked, else as long as a run may last. Throws with the keys that still run after a minute.
 */
export async function untilIdle(
  members: readonly Member[],
  {
    functions,
    ask,
    clock,
  }: {
    readonly functions: readonly AnyFunction[];
    /** Returns who knows the state of keys now; absent: the queue cannot be asked. */
    readonly ask: (() => ReadHistory) | undefined;
    readonly clock: Clock;
  },
): Promise<void> {
  if (ask === undefined) return rest(LONGEST_RUN_MS, clock);
  const until = clock.now().getTime() + WITHIN_MS;
  let busy = members.flatMap((member) => runsOf(member, functions));
  for (;;) {
    const history = ask();
    const states = await Promise.all(busy.map(({ fn, key }) => history(fn.spec.name, key)));
    // A run that begins from now on sees the pause, and later the label of the other controller: it writes nothing.
    busy = busy.filter((_run, at) => states[at]?.state?.state === "running");
    if (busy.length === 0) return;
    if (clock.now().getTime() > until) {
      const [first] = busy;
      throw new Error(
        `Capstan still works on ${busy.length} keys, such as ${first?.fn.spec.name} ${first?.key}; capstan queue shows them. ` +
          "Nothing has changed hands: continue with the same command, or return with the other one",
      );
    }
    await rest(LOOK_MS, clock);
  }
}
