import {
  idleText,
  MAX_RUNS,
  RUNS_KEPT_MS,
  type RunHistory,
} from "../../../../shared/runtime/letters/run-history.ts";
import type { Clock } from "../../../../shared/runtime/ports.ts";
import { type PackedRun, packRun, unpackRun } from "../../history/packed-run.ts";
import { placeOfRing, ringIdOf } from "../../history/ring-id.ts";

export interface MemoryRunHistoryOptions {
  readonly clock: Pick<Clock, "now">;
  readonly maxBytes: number;
}

/** Runs of a function for a key, the oldest first, and their memory, which is not counted again with every run. */
interface Ring {
  readonly runs: readonly PackedRun[];
  readonly bytes: number;
}

/** Bytes beside their texts, by bench `history`: id, Map entry, ring and list; a run with its times; a shared text. */
const RING_BYTES = 280;
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
  /** The bytes of `newer` and `deeds`. */
  let bytes = 0;
  const shared = (run: PackedRun): PackedRun => {
    const known = deeds.get(run.deed);
    if (known !== undefined) return { ...run, deed: known };
    deeds.set(run.deed, run.deed);
    bytes += DEED_BYTES + run.deed.length;
    return run;
  };
  const moved = ({ runs, bytes: size }: Ring): Ring => ({ runs: runs.map(shared), bytes: size });
  return {
    note(functionName, key, run) {
      const id = ringIdOf(functionName, key);
      const known = newer.get(id);
      const before = known ?? moved(older.get(id) ?? EMPTY);
      const ring = withRun(before, shared(packRun(run)), idleText(run) !== undefined);
      newer.set(id, ring);
      bytes += ring.bytes - (known?.bytes ?? 0);
      if (bytes <= maxBytes / 2) return;
      older = newer;
      newer = new Map();
      deeds = new Map();
      bytes = 0;
    },
    async runs(functionName, key, limit = MAX_RUNS) {
      const id = ringIdOf(functionName, key);
      const { runs } = newer.get(id) ?? older.get(id) ?? EMPTY;
      const since = new Date(clock.now().getTime() - RUNS_KEPT_MS).toISOString();
      return runs
        .toReversed()
        .slice(0, limit)
        .filter(({ endedAt }) => endedAt >= since)
        .map(unpackRun);
    },
    async find(runId) {
      const begins = JSON.stringify([runId]).slice(0, -1);
      for (const rings of [newer, older]) {
        for (const [id, { runs }] of rings) {
          if (runs.some(({ own }) => own.startsWith(begins))) return placeOfRing(id);
        }
      }
      return undefined;
    },
    async [Symbol.asyncDispose]() {
      newer = new Map();
      older = newer;
      deeds = new Map();
    },
  };
}

const EMPTY: Ring = { runs: [], bytes: RING_BYTES };

/** Equal idle runs in a row are one entry with a count. Of more than fit the oldest goes. */
function withRun({ runs, bytes }: Ring, run: PackedRun, isIdle: boolean): Ring {
  const last = runs.at(-1);
  if (isIdle && last?.deed === run.deed) {
    const both = { ...run, times: last.times + run.times, since: last.since };
    return { runs: [...runs.slice(0, -1), both], bytes: bytes + bytesOf(both) - bytesOf(last) };
  }
  const [oldest] = runs;
  const added = bytes + bytesOf(run);
  return runs.length < MAX_RUNS || oldest === undefined
    ? { runs: [...runs, run], bytes: added }
    : { runs: [...runs.slice(1), run], bytes: added - bytesOf(oldest) };
}

function bytesOf({ own }: PackedRun): number {
  return RUN_BYTES + own.length;
}
