import { SECOND } from "../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { QueuePeek, QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import { cachedFor } from "../../platform/cached-answers.ts";
import type { Heartbeat } from "../../queue/heartbeats/heartbeats.ts";

/** A function that no living process serves. */
export interface Unserved {
  readonly function: string;
  /** Is absent while no key waits longer than it takes to replace a worker. */
  readonly late?: Late | undefined;
}

interface Late {
  /** When the key that waits longest became ready, RFC 3339. */
  readonly since: string;
  /** The functions that wait, since when, then `; ` and the next step; the same for each of several. */
  readonly message: string;
}

export type ReadUnserved = () => Promise<readonly Unserved[]>;

interface UnservedSources {
  readonly queue: Pick<QueueReader, "peek">;
  readonly functions: readonly AnyFunction[];
  readonly processes: () => Promise<readonly Pick<Heartbeat, "functions" | "running">[]>;
  readonly clock: Clock;
}

/** A worker that was replaced takes its keys within this time; one that leaves no sign of life takes them, too. */
const LATE_MS = 30 * SECOND;
const KEPT_MS = 5 * SECOND;
/** The most processes that are known: beyond, one that is not known may serve it. */
const MOST_PROCESSES = 200;

/**
 * Returns a question that is answered at most every 5 s: which functions does no process serve, those first whose keys
 * have waited for long. Costs one read while every function is served.
 */
export function createUnserved({ queue, functions, processes, clock }: UnservedSources): ReadUnserved {
  return cachedFor(KEPT_MS, clock, async () => {
    const living = await processes();
    if (living.length >= MOST_PROCESSES) return [];
    // Beside a relay, too, stand the names of all functions.
    const served = new Set(
      living.flatMap(({ running, functions: own }) => (running === undefined ? [] : own)),
    );
    const names = functions.map(({ spec }) => spec.name).filter((name) => !served.has(name));
    const found = await Promise.all(
      names.map(async (name) => unservedOf(name, await queue.peek(name), clock.now())),
    );
    const waiting = found.flat().toSorted((a, b) => (a.since < b.since ? -1 : 1));
    const late = waiting.map(({ function: name, since }) => ({
      function: name,
      late: { since, message: messageOf(waiting) },
    }));
    const isLate = new Set(late.map(({ function: name }) => name));
    return [...late, ...names.filter((name) => !isLate.has(name)).map((name) => ({ function: name }))];
  });
}

interface Waiting {
  readonly function: string;
  readonly since: string;
  readonly keys: number;
}

function unservedOf(
  name: string,
  { ready, oldestReadyMs = {}, paused }: QueuePeek,
  now: Date,
): readonly Waiting[] {
  const oldestMs = Math.max(oldestReadyMs.live ?? 0, oldestReadyMs.resync ?? 0);
  if (ready === 0 || oldestMs < LATE_MS || paused === true) return [];
  // To the second: the message stays the same while it waits.
  const since = new Date(Math.floor((now.getTime() - oldestMs) / SECOND) * SECOND).toISOString();
  return [{ function: name, since, keys: ready }];
}

function messageOf(waiting: readonly Waiting[]): string {
  const [{ function: name, since } = { function: "", since: "" }, ...others] = waiting;
  const count = waiting.reduce((sum, { keys }) => sum + keys, 0);
  const keys = count === 1 ? "1 key waits" : `${count} keys wait`;
  const [more, named] =
    others.length === 0 ? ["", ` --functions ${name}`] : [` and ${others.length} more`, ""];
  return `no worker serves ${name}${more} since ${since}, ${keys}; start one: capstan worker${named}`;
}
