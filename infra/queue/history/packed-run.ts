import type { Input, RunEntry, Written } from "../../../shared/runtime/letters/run-history.ts";

/** A run as texts. Thousands of objects go through the same: the text that their runs share is the longer one. */
export interface PackedRun {
  /** JSON of what it did: outcome, requests, changed fields. The same for equal idle runs. */
  readonly deed: string;
  /** JSON of the rest (`Own`). */
  readonly own: string;
  readonly endedAt: string;
  readonly times: number;
  readonly since: string;
}

type Request = Omit<Written, keyof Place>;
type Deed = Pick<RunEntry, "outcome" | "moreRead" | "moreWrites" | "waitingFor" | "failure"> & {
  readonly writes: readonly Request[];
};
type Own = readonly [
  runId: string,
  durationMs: number,
  afterMs: number | null,
  causes: readonly PackedPlace[],
  written: readonly PackedPlace[],
  read?: readonly Input[],
];

/** An object, and its version if that is known. */
type Place = Pick<Written, "what" | "resourceVersion">;
type PackedPlace = readonly [what: string, resourceVersion?: string | undefined];

/** Each member by name: to copy the rest of an object takes longer than all else here. */
export function packRun(run: RunEntry): PackedRun {
  const { outcome, moreWrites, waitingFor, failure, runId, durationMs, afterMs = null, endedAt } = run;
  const { read, moreRead } = run;
  const writes = run.writes.map(({ verb, cluster, subresource, changes, moreChanges }) => {
    return { verb, cluster, subresource, changes, moreChanges } satisfies All<Request>;
  });
  const deed = { outcome, moreRead, moreWrites, waitingFor, failure, writes } satisfies All<Deed>;
  const known = [runId, durationMs, afterMs, run.causes.map(packPlace), run.writes.map(packPlace)] as const;
  const own: Own = read === undefined ? known : [...known, read];
  const { times = 1, since = endedAt } = run;
  return { deed: JSON.stringify(deed), own: JSON.stringify(own), endedAt, times, since };
}

/** None is forgotten. */
type All<T> = { readonly [P in keyof Required<T>]: T[P] };

export function unpackRun({ deed, own, endedAt, times, since }: PackedRun): RunEntry {
  const { writes, ...rest } = JSON.parse(deed) as Deed;
  const [runId, durationMs, afterMs, causes, written, read] = JSON.parse(own) as Own;
  return {
    ...rest,
    runId,
    endedAt,
    durationMs,
    causes: causes.map(unpackPlace),
    writes: written.map((place, at) => ({ ...unpackPlace(place), ...writes[at] }) as Written),
    ...(read === undefined ? {} : { read }),
    ...(afterMs === null ? {} : { afterMs }),
    ...(times === 1 ? {} : { times, since }),
  };
}

function packPlace({ what, resourceVersion }: Place): PackedPlace {
  return resourceVersion === undefined ? [what] : [what, resourceVersion];
}

function unpackPlace([what, resourceVersion]: PackedPlace): Place {
  return resourceVersion === undefined ? { what } : { what, resourceVersion };
}
