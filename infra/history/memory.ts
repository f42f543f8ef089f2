import type { Clock } from "../../shared/runtime/ports.ts";
import { idleText, MAX_RUNS, RUNS_KEPT_MS, type RunHistory } from "../../shared/runtime/run-history.ts";
import { type PackedRun, packRun, unpackRun } from "./packed-run.ts";

export interface MemoryRunHistoryOptions {
  readonly clock: Pick<Clock, "now">;
  readonly maxBytes: number;
}

/** Runs of a function for a key, the oldest first. */
type Ring = readonly PackedRun[];

/** Beside their texts, measured by bench `history`: id, Map entry and list; a run with its times; a shared text. */
const RING_BYTES = 250;
const RUN_BYTES = 130;
const DEED_BYTES = 90;

/** The history of one process: the rings noted last, of half of `maxBytes` at least. */
export function createMemoryRunHistory({ clock, maxBytes }: MemoryRunHistoryOptions): RunHistory {
  // A Map that loses its oldest entry again and again is slow to find it, and an iterator that waits there keeps alive
  // all that the Map has ever held.
  let newer = new Map<string, Ring>();
  let older: ReadonlyMap<string, Ring> = new Map();
  /** Deeds of the runs of `newer`, each text once. */
  let deeds = new Map<string, string>();
  /** Of `newer` and `deeds`. */
  let bytes = 0;
  const shared = (run: PackedRun): PackedRun => {
    const known = deeds.get(run.deed);
    if (known !== undefined) return { ...run, deed: known };
    deeds.set(run.deed, run.deed);
    bytes += DEED_BYTES + run.deed.length;
    return run;
  };
  return {
    note(functionName, key, run) {
      const id = idOf(functionName, key);
      const known = newer.get(id);
      const packed = shared(packRun(run));
      const before = known ?? older.get(id)?.map(shared) ?? [];
      const runs = idleText(run) === undefined ? [...before, packed] : withIdle(before, packed);
      const ring = runs.slice(-MAX_RUNS);
      newer.set(id, ring);
      bytes += bytesOf(ring) - bytesOf(known);
      if (bytes <= maxBytes / 2) return;
      older = newer;
      newer = new Map();
      deeds = new Map();
      bytes = 0;
    },
    async runs(functionName, key, limit = MAX_RUNS) {
      const id = idOf(functionName, key);
      const ring = newer.get(id) ?? older.get(id) ?? [];
      const since = new Date(clock.now().getTime() - RUNS_KEPT_MS).toISOString();
      return ring
        .toReversed()
        .slice(0, limit)
        .filter(({ endedAt }) => endedAt >= since)
        .map(unpackRun);
    },
    async [Symbol.asyncDispose]() {
      newer = new Map();
      older = newer;
      deeds = new Map();
    },
  };
}

function idOf(functionName: string, key: string): string {
  return `${functionName} ${key}`;
}

/** Equal idle runs in a row are one entry with a count. */
function withIdle(ring: Ring, run: PackedRun): Ring {
  const last = ring.at(-1);
  if (last?.deed !== run.deed) return [...ring, run];
  return [...ring.slice(0, -1), { ...run, times: last.times + run.times, since: last.since }];
}

function bytesOf(ring: Ring = []): number {
  return ring.reduce((sum, { own }) => sum + RUN_BYTES + own.length, ring.length === 0 ? 0 : RING_BYTES);
}
