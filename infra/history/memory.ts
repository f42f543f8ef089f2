import type { Clock } from "../../shared/runtime/ports.ts";
import {
  foldRuns,
  idleText,
  MAX_RUNS,
  RUNS_KEPT_MS,
  type RunEntry,
  type RunHistory,
} from "../../shared/runtime/run-history.ts";

export interface MemoryRunHistoryOptions {
  readonly clock: Pick<Clock, "now">;
  readonly maxBytes: number;
}

/** Of a function and a key. */
interface Ring {
  /** JSON of its runs without `idle`, the oldest first. */
  readonly texts: string[];
  /** The newest run, when it had nothing to do: equal ones are counted here, and nothing is serialised for them. */
  idle: RunEntry | undefined;
  /** Of `texts`. */
  bytes: number;
}

/** Id, Map entry, `idle` and its causes; measured by bench `history`. */
const RING_BYTES = 1_024;
/** Of a string beside its characters, which are mostly of one byte. */
const TEXT_BYTES = 24;

/** The history of one process: the rings noted last, of half of `maxBytes` at least. */
export function createMemoryRunHistory({ clock, maxBytes }: MemoryRunHistoryOptions): RunHistory {
  // A Map that loses its oldest entry again and again is slow to find it, and an iterator that waits there keeps alive
  // all that the Map has ever held.
  let newer = new Map<string, Ring>();
  let older: ReadonlyMap<string, Ring> = new Map();
  /** Of `newer`. */
  let bytes = 0;
  const ringOf = (id: string): Ring => {
    const known = newer.get(id);
    if (known !== undefined) return known;
    const ring = older.get(id) ?? { texts: [], idle: undefined, bytes: 0 };
    newer.set(id, ring);
    bytes += RING_BYTES + ring.bytes;
    return ring;
  };
  return {
    note(functionName, key, run) {
      const ring = ringOf(idOf(functionName, key));
      const before = ring.bytes;
      add(ring, run);
      bytes += ring.bytes - before;
      if (bytes <= maxBytes / 2) return;
      older = newer;
      newer = new Map();
      bytes = 0;
    },
    async runs(functionName, key, limit = MAX_RUNS) {
      const id = idOf(functionName, key);
      const { texts = [], idle } = newer.get(id) ?? older.get(id) ?? {};
      const since = new Date(clock.now().getTime() - RUNS_KEPT_MS).toISOString();
      const newest = idle === undefined ? [] : [idle];
      const further = texts.toReversed().slice(0, Math.max(0, limit - newest.length));
      return [...newest, ...further.map((text) => JSON.parse(text) as RunEntry)].filter(
        ({ endedAt }) => endedAt >= since,
      );
    },
    async [Symbol.asyncDispose]() {
      newer = new Map();
      older = newer;
    },
  };
}

function idOf(functionName: string, key: string): string {
  return `${functionName} ${key}`;
}

function add(ring: Ring, run: RunEntry): void {
  const folded = ring.idle && foldRuns(ring.idle, run);
  if (folded === undefined && ring.idle !== undefined) push(ring, ring.idle);
  const isIdle = idleText(run) !== undefined;
  ring.idle = folded ?? (isIdle ? run : undefined);
  if (!isIdle) push(ring, run);
  if (ring.texts.length + (isIdle ? 1 : 0) > MAX_RUNS) ring.bytes -= bytesOf(ring.texts.shift());
}

function push(ring: Ring, run: RunEntry): void {
  const text = JSON.stringify(run);
  ring.texts.push(text);
  ring.bytes += bytesOf(text);
}

function bytesOf(text = ""): number {
  return TEXT_BYTES + text.length;
}
