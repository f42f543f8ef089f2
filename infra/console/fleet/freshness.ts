import { MINUTE } from "../../../shared/function/backoff.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { Stale } from "../api/page.ts";

/** Since when each part of what is known is old, and why. */
export interface Freshness {
  /** A part has been read, or its state has been found to be this. */
  note(part: string, problem: string | undefined): void;
  /** When the oldest part was read; undefined while one has never been. */
  asOf(): Date | undefined;
  stale(): readonly Stale[];
}

interface Part {
  readonly readAt?: Date | undefined;
  /** Since when, and what. */
  readonly problem?: { readonly since: Date; readonly text: string } | undefined;
}

/** Everything is read again within a minute: what is older has been missed. */
const OLD_AFTER_MS = 3 * MINUTE;

/** `parts` must all have been read once before anything is current. */
export function createFreshness(parts: readonly string[], clock: Pick<Clock, "now">): Freshness {
  const startedAt = clock.now();
  const known = new Map<string, Part>(parts.map((part) => [part, {}]));
  const staleOf = (part: string, { readAt, problem }: Part): readonly Stale[] => {
    if (problem !== undefined) {
      return [{ since: problem.since.toISOString(), reason: `${part}: ${problem.text}` }];
    }
    if (readAt === undefined) return [{ since: startedAt.toISOString(), reason: `${part}: not read yet` }];
    const isOld = clock.now().getTime() - readAt.getTime() > OLD_AFTER_MS;
    return isOld ? [{ since: readAt.toISOString(), reason: `${part}: not read since then` }] : [];
  };
  return {
    note: (part, text) => {
      const { readAt, problem } = known.get(part) ?? {};
      const now = clock.now();
      if (text === undefined) known.set(part, { readAt: now });
      else known.set(part, { readAt, problem: { since: problem?.since ?? readAt ?? startedAt, text } });
    },
    asOf: () => {
      const times = [...known.values()].map(({ readAt }) => readAt?.getTime() ?? Number.NaN);
      const oldest = Math.min(...times);
      return Number.isNaN(oldest) ? undefined : new Date(oldest);
    },
    stale: () => [...known].flatMap(([part, state]) => staleOf(part, state)),
  };
}
