import type { Clock, Log, Random } from "../../../shared/runtime/ports.ts";
import type { Control } from "../control.ts";
import { type Actor, type JobOptions, type RunningJob, startJob } from "./job.ts";
import { createStarted, type Started } from "./started.ts";

/** Bulk actions of this process. */
export interface Jobs extends Omit<Started<RunningJob>, "start" | "requireRoom"> {
  /** Throws the Problem of too many that run. */
  start(options: Omit<JobOptions, "id" | "control" | "clock" | "log">): RunningJob;
  /** Throws the same Problem. */
  resume(job: RunningJob, actor: Actor): void;
}

const MAX_RUNNING = 5;

interface JobsOptions {
  readonly control: Control;
  readonly random: Pick<Random, "id">;
  readonly clock: Clock;
  readonly log: Log;
}

export function createJobs({ random, ...shared }: JobsOptions): Jobs {
  const { start, requireRoom, ...jobs } = createStarted<RunningJob>({
    what: "bulk actions",
    maxRunning: MAX_RUNNING,
    random,
  });
  return {
    ...jobs,
    start: (wanted) => start((id) => startJob({ ...shared, ...wanted, id })),
    resume(job, actor) {
      if (job.status().state === "running") return;
      requireRoom();
      job.resume(actor);
    },
  };
}
