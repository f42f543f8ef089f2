import type { Clock, Log, Random } from "../../../shared/runtime/ports.ts";
import type { Control } from "../control.ts";
import { problem } from "../problem.ts";
import { type JobOptions, type RunningJob, startJob } from "./job.ts";

/** Bulk actions of this process, the newest first. */
export interface Jobs extends Disposable {
  /** Throws the Problem of too many that run. */
  start(options: Pick<JobOptions, "action" | "function" | "seen" | "by" | "demand">): RunningJob;
  get(id: string): RunningJob | undefined;
  list(): readonly RunningJob[];
}

const MAX_RUNNING = 5;
/** Those that have ended, to look at. */
const MAX_KEPT = 50;
const ID_BYTES = 8;

interface JobsOptions {
  readonly control: Control;
  readonly random: Pick<Random, "id">;
  readonly clock: Clock;
  readonly log: Log;
}

export function createJobs({ random, ...shared }: JobsOptions): Jobs {
  const jobs = new Map<string, RunningJob>();
  const running = () => [...jobs.values()].filter((job) => job.status().state === "running");
  const forgetOldest = (): void => {
    const ended = [...jobs].filter(([, job]) => job.status().state !== "running");
    for (const [id] of ended.slice(0, Math.max(0, jobs.size - MAX_KEPT))) jobs.delete(id);
  };
  return {
    start(wanted) {
      if (running().length >= MAX_RUNNING) {
        throw problem("tooManyJobs", `${MAX_RUNNING} bulk actions are running`, "wait for one, or stop one");
      }
      const id = random.id(ID_BYTES);
      const job = startJob({ ...shared, ...wanted, id });
      jobs.set(id, job);
      forgetOldest();
      return job;
    },
    get: (id) => jobs.get(id),
    list: () => [...jobs.values()].toReversed(),
    [Symbol.dispose]: () => {
      for (const job of running()) job.stop();
    },
  };
}
