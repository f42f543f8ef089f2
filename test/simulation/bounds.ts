import type { PlannedFault } from "./plan.ts";

/** What a run has needed. */
export interface Cost {
  readonly runs: number;
  readonly requests: number;
  readonly bytes: number;
}

/** Most that one fault adds to a run of `SIZE` requests. */
type Extra = readonly [requests: number, runs: number];

const DEFAULT: Extra = [5, 5];

/**
 * What one fault of a class costs: about twice what it has cost where it was the only class (W-02 and W-05, an hour of
 * faults each). A class that stands here for more than the default makes others work again: what is made again, listed
 * again, or asked for again and again until it is back.
 */
const EXTRA: { readonly [fault: string]: Extra } = {
  // A process that starts again, or stands still, has its keys run again.
  "X-05": [6, 10],
  "X-06": [30, 30],
  "X-07": [30, 30],
  "X-09": [10, 10],
  // What was not seen in time.
  "X-11": [5, 8],
  "X-12": [10, 8],
  "X-13": [6, 10],
  "X-14": [2, 2],
  "X-15": [10, 12],
  "X-16": [30, 10],
  "X-17": [30, 10],
  // What a restored server has lost, and what was made again, is reconciled from its beginning.
  "X-18": [60, 130],
  "X-19": [110, 110],
  // Refused until it is permitted again; a kind that is away is asked for until it is back.
  "X-24": [25, 25],
  "X-25": [10, 10],
  "X-26": [3, 3],
  "X-27": [8, 10],
  "X-28": [6, 6],
  "X-29": [120, 50],
  // The queue asks no server.
  "X-30": [2, 2],
  "X-31": [2, 2],
  "X-32": [2, 2],
  "X-34": [40, 40],
  "X-35": [40, 40],
  "X-36": [40, 40],
  "X-37": [12, 12],
  "X-38": [3, 3],
  // A poisoned key is tried until it dies.
  "X-39": [5, 130],
  // A cluster that is away is asked for, and waited for by all its keys.
  "X-40": [25, 45],
  "X-41": [25, 25],
  "X-42": [3, 5],
  "X-44": [10, 15],
  "X-45": [15, 20],
  "X-46": [2, 2],
};

/** Another order of events needs so many more, even without a fault. */
const SPREAD = 1.25;
const BEYOND = 30;
/** Requests of the runs that the costs were measured in. */
const SIZE = 300;
/** Of the requests that a fault adds, many are lists. */
const BYTES_PER_REQUEST = 3;

/** 6.5 f: the most that a run with these faults may need; `expected` without any. */
export function bounds(expected: Cost, found: Cost, struck: readonly PlannedFault[]): Cost {
  const size = Math.max(1, expected.requests / SIZE);
  const extra = (which: 0 | 1): number =>
    size * struck.reduce((sum, { fault }) => sum + (EXTRA[fault] ?? DEFAULT)[which], 0);
  const bytesEach = Math.max(expected.bytes / expected.requests, found.bytes / found.requests);
  const requests = SPREAD * expected.requests + BEYOND + extra(0);
  return {
    requests,
    runs: SPREAD * expected.runs + BEYOND + extra(1),
    bytes: SPREAD * expected.bytes + BYTES_PER_REQUEST * bytesEach * (BEYOND + extra(0)),
  };
}
