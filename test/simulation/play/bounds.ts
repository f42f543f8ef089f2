import type { PlannedFault } from "./plan.ts";

/** Costs of a run. */
export interface Cost {
  readonly runs: number;
  readonly requests: number;
  readonly bytes: number;
}

/** Most that one fault adds to a run of `SIZE` requests. */
type Extra = readonly [requests: number, runs: number];

const DEFAULT: Extra = [4, 4];
const BY_PROMISE = Number.POSITIVE_INFINITY;

/**
 * Costs that one fault of a class may cause: one and a half times what it has cost where it was the only class (W-02
 * and W-05, an hour of faults each), and one. Classes that were too seldom there for a number have 30 to 40 requests:
 * all is listed again, and every key may run again (190 runs in W-12); where the queue or the store has lost
 * everything, the promise alone is the bound for runs. A class that costs more than the default causes further work:
 * recreated objects, listed again, or asked for until it is back.
 */
const EXTRA: { readonly [fault: string]: Extra } = {
  // A process that starts again, or stands still, has its keys run again.
  "X-05": [5, 7],
  "X-06": [30, 250],
  "X-07": [30, 250],
  "X-09": [6, 6],
  // Changes that were not seen in time.
  "X-11": [5, 8],
  "X-12": [8, 7],
  "X-13": [5, 8],
  "X-14": [2, 2],
  "X-15": [9, 10],
  "X-16": [25, 8],
  "X-17": [25, 8],
  // Objects that a restored server has lost, and recreated ones, are reconciled from their beginning: a Cluster with
  // the Machines of W-30 has cost 105 runs, one with those of W-21 alone 80 requests.
  "X-18": [80, 130],
  "X-19": [80, 160],
  /*
   * A worker whose token is refused fails with every key that it claims, and each is tried again until the token is
   * repaired. Alone at every 7th site of W-21 to W-30 it has cost up to 53 requests and 76 runs: most where it strikes
   * while the Machines of a set come up, which are 10 keys each. Of all sites of W-26, one has cost 84 requests more
   * than the bound without this one.
   */
  "X-24": [90, 115],
  // Refused until it is permitted again; a kind that is away is asked for until it is back.
  "X-25": [8, 7],
  "X-26": [3, 3],
  "X-27": [7, 9],
  "X-28": [6, 6],
  "X-29": [90, 35],
  // The queue asks no server.
  "X-30": [2, 2],
  "X-31": [2, 2],
  "X-32": [2, 2],
  "X-34": [40, BY_PROMISE],
  "X-35": [40, BY_PROMISE],
  "X-36": [40, BY_PROMISE],
  "X-37": [9, 5],
  "X-38": [3, 3],
  // A poisoned key is tried until it dies.
  "X-39": [4, 95],
  // A cluster that is away is asked for, and waited for by all its keys.
  "X-40": [18, 30],
  "X-41": [12, 12],
  "X-42": [2, 4],
  "X-44": [6, 9],
  "X-45": [5, 12],
  "X-46": [2, 2],
  "X-49": [6, 6],
  "X-50": [12, 12],
};

/**
 * Costs of X-19 where X-41 struck as well: while the pool of a recreated Cluster waits for Nodes that cannot be
 * reached, a user puts back what it deletes, each second.
 */
const RECREATED_WHILE_AWAY: Extra = [230, 110];

/** Another order of events needs so many more, even without a fault. */
const SPREAD = 1.25;
const BEYOND = 30;
/** Requests of the runs that the costs were measured in. */
const SIZE = 300;
/** Of the requests that a fault adds, many are lists. */
const BYTES_PER_REQUEST = 3;

/** The promise of F-01, whatever the faults. */
const TIMES = 3;
const PER_FAULT = 10;

/** The most that a run with these faults may need; `expected` without any. */
export function bounds(expected: Cost, found: Cost, struck: readonly PlannedFault[]): Cost {
  const size = Math.max(1, expected.requests / SIZE);
  const isAway = struck.some(({ fault }) => fault === "X-41");
  const extraOf = (fault: string): Extra =>
    fault === "X-19" && isAway ? RECREATED_WHILE_AWAY : (EXTRA[fault] ?? DEFAULT);
  const extra = (which: 0 | 1): number =>
    BEYOND + size * struck.reduce((sum, { fault }) => sum + extraOf(fault)[which], 0);
  const bytesEach = Math.max(expected.bytes / expected.requests, found.bytes / found.requests);
  const most = (what: keyof Cost, more: number, unit = 1): number =>
    Math.min(SPREAD * expected[what] + more, TIMES * expected[what] + PER_FAULT * unit * struck.length);
  return {
    requests: most("requests", extra(0)),
    runs: most("runs", extra(1)),
    bytes: most("bytes", BYTES_PER_REQUEST * bytesEach * extra(0), bytesEach),
  };
}
