import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { MINUTE } from "../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { DeadLetter } from "../../../shared/runtime/letters/dead-letter.ts";
import type { DeadLetters } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { ReadHistory, RunHistory } from "../../../shared/runtime/letters/run-history.ts";
import type { Clock, Log, Random, Store } from "../../../shared/runtime/ports.ts";
import type { QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import type { Samples } from "../../../shared/runtime/queue/samples.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { clusterKeyOf, objectTree } from "../../operate/explain/object-tree.ts";
import { siblingsOf } from "../../operate/explain/sibling-page.ts";
import { lanesOf, timeLine } from "../../operate/explain/time-line.ts";
import type { ReadUnserved } from "../../operate/explain/unserved.ts";
import { type ApartResult, openReplayApart, type ReplayApart } from "../../operate/replay/replay-apart.ts";
import { cachedAnswers } from "../../platform/cached-answers.ts";
import type { Server } from "../../platform/kube/client.ts";
import { createTurns } from "../../relay/turns.ts";
import type { FleetIndex } from "../fleet/fleet-index.ts";
import { search } from "../fleet/search.ts";
import { createTrials } from "../jobs/trials.ts";
import type { Ports, ReadRuns, ReplayLetter } from "../ports.ts";
import { problem } from "../problem.ts";
import { createExplain } from "./explain-source.ts";
import { createHeads } from "./letter-heads.ts";
import { createLive } from "./live-source.ts";

/** Parts of a process that a console looks at. */
export interface ReadSources {
  readonly store: Store;
  readonly functions: readonly AnyFunction[];
  /** Where the functions are loaded from for a replay; absent: Capstan's own. */
  readonly functionsDir: string | undefined;
  readonly queue: QueueReader;
  readonly letters: Pick<DeadLetters, "page" | "get" | "read">;
  readonly fleet: FleetIndex;
  readonly unserved: ReadUnserved;
  readonly history: ReadHistory;
  /** The history of runs; absent where it is off. */
  readonly runs: RunHistory | undefined;
  readonly samples: Pick<Samples, "read">;
  /** Opens a connection to the management API server, as the owner of a token or as this process. */
  readonly connect: (token: string | undefined) => Server;
  readonly random: Pick<Random, "id">;
  readonly clock: Clock;
  readonly log: Log;
}

/** The time for which an answer is kept, of the same letter with the same functions. */
const REPLAYED_MS = MINUTE;

const MAX_KEPT = 20;

/** Each takes some seconds of a processor. */
const MAX_WAITING = 10;

const CLUSTER = Cluster as unknown as Kind;

interface RunsSourceOptions {
  readonly store: Store;
  readonly functions: readonly AnyFunction[];
  readonly runs: Pick<RunHistory, "runs">;
}

/**
 * Reads the runs of an object. The chain of their causes leads through all objects of its Cluster, so the history of
 * these is read, of up to 1,000 functions and keys.
 */
export function createRunsSource({ store, functions, runs }: RunsSourceOptions): ReadRuns {
  return async (kind, key, { isAll, ...selection }) => {
    const object = await store.get(managementType(kind), key);
    if (object === undefined) return undefined;
    const at = clusterKeyOf(kind, object);
    const cluster = at && (await store.get(managementType(Cluster), at));
    const root = cluster === undefined ? { kind, object } : { kind: CLUSTER, object: cluster };
    const own = lanesOf(functions, { kind, key, object, children: [], more: [] });
    const keys = new Set(own.map((lane) => lane.key));
    const all = lanesOf(functions, await objectTree(store, functions, root));
    const lanes = [...own, ...all.filter((lane) => !keys.has(lane.key))];
    return timeLine(runs, lanes, { ...selection, of: isAll ? undefined : keys });
  };
}

/** Returns the data behind all routes that only look, but for the relay. */
export function readPorts(sources: ReadSources, starting: AsyncDisposableStack): Ports {
  const { store, functions, functionsDir, queue, letters, fleet, runs, samples, clock } = sources;
  const heads = createHeads({ letters, queue, clock });
  const openApart = () => openReplayApart(clock, functionsDir);
  return {
    queue,
    unserved: sources.unserved,
    letters,
    heads,
    fleet,
    explain: createExplain({ ...sources, heads }),
    children: async (kind, key, selection) => {
      const object = await store.get(managementType(kind), key);
      return object && siblingsOf({ store, functions }, { kind, object }, selection);
    },
    runs: runs && createRunsSource({ store, functions, runs }),
    live: createLive(sources),
    samples: (name, lastMs) => samples.read(name, lastMs),
    search: (asked) => search({ fleet, store, functions, letters, runs }, asked),
    replay: createReplay(openApart, clock),
    trials: starting.use(createTrials({ ...sources, openApart })),
  };
}

/** Replays one letter at a time, each in a process of its own that ends with it. */
export function createReplay(openApart: () => ReplayApart, clock: Clock): ReplayLetter {
  const kept = cachedAnswers<ApartResult>({ cachedMs: REPLAYED_MS, most: MAX_KEPT, clock });
  const turns = createTurns(1);
  let waiting = 0;
  const replay = async (letter: DeadLetter): Promise<ApartResult> => {
    if (waiting >= MAX_WAITING) {
      throw problem("tooManyJobs", `${MAX_WAITING} letters wait for their replay`, "try again in a minute");
    }
    waiting += 1;
    try {
      return await turns.take(async () => {
        using apart = openApart();
        return await apart.replay(letter);
      });
    } finally {
      waiting -= 1;
    }
  };
  return (letter) =>
    kept(`${letter.function} ${letter.key} ${letter.deadSince} ${letter.times}`, () => replay(letter));
}
