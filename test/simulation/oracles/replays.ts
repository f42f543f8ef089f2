import { systemClock } from "../../../infra/platform/clock.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { composeLetter, summarizeAttempt } from "../../../shared/runtime/letters/compose-letter.ts";
import type { Death, FailedRun } from "../../../shared/runtime/letters/dead-letters-port.ts";
import { type ReplayResult, replay } from "../../../shared/runtime/letters/replay.ts";
import type { Oracle } from "./oracle.ts";

/** Beyond these, failures repeat themselves. */
const MOST = 50;
const BUILD = { version: "simulated", configDigest: "" };

/** Dead letters decide again what they record: F-14. */
export const replays: readonly Oracle[] = [
  {
    number: "F-14",
    title: "the letter of a run that failed, replayed offline, gives the same requests and the same digest",
    needs: { faults: ["X-22", "X-23", "X-24", "X-25"], why: "no run fails" },
    watch({ world, violated, evaluated, onRest }) {
      onRest(async () => {
        const recorded = world.failures.filter(({ record }) => record !== undefined);
        const dead = recorded.filter(({ death }) => death !== undefined);
        // Failures that a key has survived: their letters are the same, there are only more of them.
        const others = recorded.filter(({ death }) => death === undefined).slice(0, MOST);
        for (const run of [...dead, ...others]) {
          const fn = world.functions.find(({ spec }) => spec.name === run.function);
          if (fn === undefined || !hasBegun(run)) continue;
          evaluated();
          const wrong = differenceIn(await replayed(fn, run));
          if (wrong !== undefined) violated(`${run.function} ${run.key}: ${wrong}`);
        }
      });
    },
  },
];

/**
 * A run that failed before its first read, other than by its key, or was cut off after it had learned that its object is
 * gone, has come to nothing that could be compared.
 */
function hasBegun({ record, failure }: FailedRun): boolean {
  if (failure.reason === "MalformedKey") return true;
  const first = record?.reads[0]?.answer;
  return first !== undefined && !(first.type === "object" && first.object === undefined);
}

async function replayed(fn: AnyFunction, run: FailedRun): Promise<ReplayResult> {
  const death: Death = run.death ?? { reason: "MaxAttempts", priority: "live", since: new Date(0) };
  const hide = (secret: string): string => secret;
  const attempt = summarizeAttempt(run, death.since, hide);
  const history = { firstFailureAt: attempt.start, attempts: [attempt] };
  const letter = await composeLetter({ ...run, death }, { build: BUILD, history, hide });
  return replay(fn, letter, systemClock);
}

function differenceIn(result: ReplayResult): string | undefined {
  if (result.type === "not replayable") return result.why;
  const { recorded, replayed: again } = result;
  const isSame = JSON.stringify(recorded.requests) === JSON.stringify(again.requests);
  return result.type === "reproduced" && isSame ? undefined : JSON.stringify(result);
}
