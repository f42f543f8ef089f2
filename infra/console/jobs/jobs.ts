import { SECOND } from "../../../shared/function/backoff.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import type { DeadLetters } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log, Random } from "../../../shared/runtime/ports.ts";
import { causeOf, type QueueControl } from "../../../shared/runtime/queue/queue-control.ts";
import { oneLine } from "../../worker/health.ts";
import type { Job } from "../api/actions.ts";
import { problem } from "../problem.ts";

/** Acts on keys and letters that are still as they were seen. */
export type Control = QueueControl & Pick<DeadLetters, "dropSeen">;

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

/** A letter as it was shown. */
export interface Seen {
  readonly key: string;
  readonly deadSince: string;
  readonly times: number;
}

/** The person who acts. */
export interface Actor {
  readonly by: string;
  /** Throws when the person may not act on these keys any more. */
  readonly requireRight: (keys: readonly string[]) => Promise<void>;
}

interface JobOptions {
  readonly id: string;
  readonly action: "requeue" | "drop";
  readonly function: string;
  readonly seen: readonly Seen[];
  readonly of?: Job["of"];
  readonly actor: Actor;
  readonly control: Control;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RunningJob {
  readonly keys: readonly string[];
  status(): Omit<Job, "asOf" | "stale">;
  /** Takes no further keys. */
  stop(): void;
  /** Continues behind the last key that was taken; does nothing while it runs. */
  resume(actor: Actor): void;
}

/** Slow enough to see the first ones fail again before all have. */
const KEYS_PER_SECOND = 10;

/** Acts on ten keys a second until it is stopped; each ten are in the log once they are done. */
function startJob(options: JobOptions): RunningJob {
  const { id, action, function: name, seen, of, clock, log } = options;
  const startedAt = clock.now().toISOString();
  let { actor } = options;
  let progress = { state: "running" as Job["state"], done: 0, changed: 0, taken: 0 };
  let end: { readonly endedAt: string; readonly message?: string } | undefined;
  let underWay: Promise<void> = Promise.resolve();
  let cancel = (): void => undefined;
  const note = (keys: object, text: string): void =>
    log.info({ user: actor.by, function: name, job: id, ...keys }, text);
  const finish = (state: Job["state"], message?: string): void => {
    if (end !== undefined) return;
    cancel();
    end = { endedAt: clock.now().toISOString(), ...(message === undefined ? {} : { message }) };
    progress = { ...progress, state };
    note({ done: progress.done, state }, `bulk ${action} ended`);
  };
  const takeSome = async (): Promise<void> => {
    const part = seen.slice(progress.taken, progress.taken + KEYS_PER_SECOND);
    await actor.requireRight(part.map(({ key }) => key));
    const answers = await act(options, part, actor);
    const keys = answers.filter(({ done }) => done).map(({ key }) => key);
    if (keys.length > 0) note({ keys }, `dead letters ${DONE[action]}`);
    progress = {
      ...progress,
      taken: progress.taken + part.length,
      done: progress.done + keys.length,
      changed: progress.changed + part.length - keys.length,
    };
  };
  const next = (): void => {
    if (progress.taken >= seen.length) finish("done");
    if (end !== undefined) return;
    underWay = takeSome().then(
      () => {
        if (progress.taken >= seen.length) finish("done");
        else if (end === undefined) cancel = clock.after(SECOND, next);
      },
      (error: unknown) => finish("failed", oneLine(messageOf(error))),
    );
  };
  next();
  return {
    keys: seen.map(({ key }) => key),
    status: () => ({
      id,
      action,
      function: name,
      state: progress.state,
      by: actor.by,
      of,
      startedAt,
      ...end,
      total: seen.length,
      done: progress.done,
      changed: progress.changed,
    }),
    stop: () => finish("stopped"),
    resume: (resuming) => {
      if (end === undefined) return;
      actor = resuming;
      end = undefined;
      progress = { ...progress, state: "running" };
      note({ done: progress.done }, `bulk ${action} resumed`);
      // The ten keys that were under way when it was stopped are counted first.
      void underWay.then(() => {
        cancel();
        next();
      });
    },
  };
}

type Answers = readonly { readonly key: string; readonly done: boolean }[];

function act(
  { action, function: name, control }: JobOptions,
  part: readonly Seen[],
  { by }: Actor,
): Promise<Answers> {
  if (action === "drop") return control.dropSeen(name, part);
  const dead = part.map(({ key, deadSince }) => ({ key, deadSince: new Date(deadSince) }));
  return control.requeue(name, dead, causeOf("requeue", by));
}

const DONE = { requeue: "requeued", drop: "dropped" } as const;

/** Work of a person that continues when its request has been answered. */
interface Work {
  status(): { readonly state: "running" | "stopped" | "done" | "failed" };
  stop(): void;
}

/** Such work of one sort, the newest first, until this process ends. Disposing stops all of it. */
export interface Started<W extends Work> extends Disposable {
  /** Throws the Problem of too much that runs. */
  start(begin: (id: string) => W): W;
  /** Throws the same Problem. */
  requireRoom(): void;
  get(id: string): W | undefined;
  list(): readonly W[];
}

interface StartedOptions {
  /** The name for messages: `bulk actions`. */
  readonly what: string;
  readonly maxRunning: number;
  readonly random: Pick<Random, "id">;
}

/** Work that has ended, to look at. */
const MAX_KEPT = 50;
const ID_BYTES = 8;

export function createStarted<W extends Work>({ what, maxRunning, random }: StartedOptions): Started<W> {
  const all = new Map<string, W>();
  const running = () => [...all.values()].filter((work) => work.status().state === "running");
  const forgetOldest = (): void => {
    const ended = [...all].filter(([, work]) => work.status().state !== "running");
    for (const [id] of ended.slice(0, Math.max(0, all.size - MAX_KEPT))) all.delete(id);
  };
  const requireRoom = (): void => {
    if (running().length < maxRunning) return;
    throw problem("tooManyJobs", `${maxRunning} ${what} are running`, "wait for one, or stop one");
  };
  return {
    start(begin) {
      requireRoom();
      const id = random.id(ID_BYTES);
      const work = begin(id);
      all.set(id, work);
      forgetOldest();
      return work;
    },
    requireRoom,
    get: (id) => all.get(id),
    list: () => [...all.values()].toReversed(),
    [Symbol.dispose]: () => {
      for (const work of running()) work.stop();
    },
  };
}
