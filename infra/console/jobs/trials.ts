import { messageOf } from "../../../shared/function/errors.ts";
import type { DeadLetterHead } from "../../../shared/runtime/letters/dead-letter.ts";
import type { DeadLetters } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log, Random } from "../../../shared/runtime/ports.ts";
import type { ReplayApart } from "../../operate/replay/replay-apart.ts";
import { type Tried, tryLetters, VERDICTS } from "../../operate/replay/verdict.ts";
import { oneLine } from "../../worker/health.ts";
import type { Trial } from "../api/actions.ts";
import { createStarted, type Started } from "./jobs.ts";

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

interface TrialOptions {
  readonly id: string;
  readonly function: string;
  readonly group?: string | undefined;
  /** Letters to try. */
  readonly heads: readonly DeadLetterHead[];
  /** The person. */
  readonly by: string;
  readonly letters: Pick<DeadLetters, "read">;
  /** Where each is replayed; disposed at the end. */
  readonly apart: ReplayApart;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RunningTrial {
  readonly keys: readonly string[];
  status(): Omit<Trial, "asOf" | "stale">;
  /** Returns how each letter would end, as far as they are tried, in the order of the heads. */
  tried(): readonly Tried[];
  /** Ends the replay that is under way, and takes no further letter. */
  stop(): void;
}

/** Replays letters offline, one after the other, until it is stopped. Nothing is sent. */
function startTrial(options: TrialOptions): RunningTrial {
  const { id, function: name, group, heads, by, letters, apart, clock, log } = options;
  const startedAt = clock.now().toISOString();
  const tried: Tried[] = [];
  const stopped = new AbortController();
  let ending: Pick<Trial, "state" | "endedAt" | "message"> = { state: "running" };
  const finish = (state: Trial["state"], message?: string): void => {
    if (ending.state !== "running") return;
    ending = { state, endedAt: clock.now().toISOString(), message };
    apart[Symbol.dispose]();
    log.info({ user: by, function: name, trial: id, tried: tried.length, state }, "a trial of letters ended");
  };
  const tryAll = async (): Promise<void> => {
    for await (const one of tryLetters(letters.read(heads), apart, stopped.signal)) {
      // The replay that was ended by the stop says nothing about its letter.
      if (stopped.signal.aborted) return;
      tried.push(one);
    }
  };
  log.info({ user: by, function: name, trial: id, letters: heads.length }, "a trial of letters begins");
  void tryAll().then(
    () => finish("done"),
    (error: unknown) => finish("failed", oneLine(messageOf(error))),
  );
  return {
    keys: heads.map(({ key }) => key),
    status: () => ({
      id,
      function: name,
      group,
      by,
      startedAt,
      ...ending,
      total: heads.length,
      tried: tried.length,
      verdicts: Object.fromEntries(
        VERDICTS.map((verdict) => [verdict, tried.filter((one) => one.verdict === verdict).length]),
      ) as Trial["verdicts"],
    }),
    tried: () => tried,
    stop: () => {
      stopped.abort();
      finish("stopped");
    },
  };
}
