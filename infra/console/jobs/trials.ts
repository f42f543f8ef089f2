import type { DeadLetters } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log, Random } from "../../../shared/runtime/ports.ts";
import type { ReplayApart } from "../../operate/replay/replay-apart.ts";
import { createStarted, type Started } from "./started.ts";
import { type RunningTrial, startTrial, type TrialOptions } from "./trial.ts";

/** Trials of this process. */
export interface Trials extends Omit<Started<RunningTrial>, "start" | "requireRoom"> {
  /** Throws the Problem of too many that run. */
  start(options: Pick<TrialOptions, "function" | "group" | "heads" | "by">): RunningTrial;
}

/** Each keeps a processor busy, and has a process of up to 256 MiB. */
const MAX_RUNNING = 2;

interface TrialsOptions {
  readonly letters: Pick<DeadLetters, "read">;
  readonly openApart: () => ReplayApart;
  readonly random: Pick<Random, "id">;
  readonly clock: Clock;
  readonly log: Log;
}

export function createTrials({ openApart, random, ...shared }: TrialsOptions): Trials {
  const {
    start,
    requireRoom: _,
    ...trials
  } = createStarted<RunningTrial>({
    what: "trials",
    maxRunning: MAX_RUNNING,
    random,
  });
  return {
    ...trials,
    start: (wanted) => start((id) => startTrial({ ...shared, ...wanted, id, apart: openApart() })),
  };
}
