import { MINUTE } from "../../../shared/function/backoff.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { Silence } from "../../../shared/runtime/read/signs.ts";
import type { Stale } from "../api/page.ts";

/** Keeps since when each part of what is known is old, and why. */
export interface Freshness {
  /** A part has been read, or its state has been found to be this. */
  note(part: string, problem: string | undefined): void;
  /** Watches that bring no changes. */
  noteSilences(silences: readonly Silence[]): void;
  /** Returns when the oldest part was read; undefined while one has never been. */
  asOf(): Date | undefined;
  stale(): readonly Stale[];
}

interface Part {
  readonly readAt?: Date | undefined;
  readonly problem?: Problem | undefined;
}

interface Problem {
  readonly since: Date;
  readonly text: string;
}

/** Everything is read again within a minute: what is older has been missed. */
const OLD_AFTER_MS = 3 * MINUTE;

/** `parts` must all have been read once before anything is current. */
export function createFreshness(parts: readonly string[], clock: Pick<Clock, "now">): Freshness {
  const startedAt = clock.now();
  let silences: readonly Stale[] = [];
  const known = new Map<string, Part>(parts.map((part) => [part, {}]));
  const problemOf = ({ readAt, problem }: Part): Problem | undefined => {
    if (problem !== undefined || readAt === undefined)
      return problem ?? { since: startedAt, text: "not read yet" };
    const isOld = clock.now().getTime() - readAt.getTime() > OLD_AFTER_MS;
    return isOld ? { since: readAt, text: "not read since then" } : undefined;
  };
  return {
    note: (part, text) => {
      const { readAt, problem } = known.get(part) ?? {};
      const now = clock.now();
      if (text === undefined) known.set(part, { readAt: now });
      else known.set(part, { readAt, problem: { since: problem?.since ?? readAt ?? startedAt, text } });
    },
    noteSilences: (found) => {
      silences = found.map(({ since, message }) => ({ since, reason: message }));
    },
    asOf: () => {
      const times = [...known.values()].map(({ readAt }) => readAt?.getTime() ?? Number.NaN);
      const oldest = Math.min(...times);
      return Number.isNaN(oldest) ? undefined : new Date(oldest);
    },
    stale: () => {
      const problems = [...known].flatMap(([part, state]) => {
        const found = problemOf(state);
        return found === undefined ? [] : [{ part, ...found }];
      });
      // A Redis that is away takes all parts with it: it is said once.
      const parts = [...Map.groupBy(problems, ({ text }) => text)].map(([text, same]) => ({
        since: new Date(Math.min(...same.map(({ since }) => since.getTime()))).toISOString(),
        reason: `${same.map(({ part }) => part).join(", ")}: ${text}`,
      }));
      return [...parts, ...silences];
    },
  };
}
