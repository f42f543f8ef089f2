import type { Clock } from "../../../../shared/runtime/ports.ts";
import {
  SAMPLE_EVERY_MS,
  SAMPLES_KEPT,
  SAMPLES_KEPT_MS,
  type Samples,
} from "../../../../shared/runtime/queue/samples.ts";
import { ROW_LENGTH, rowOf, sampleOf } from "../../samples/sample-row.ts";

/** Rows that are allocated at once: ten minutes. */
const PART_ROWS = 60;

/** Keeps the samples of one process: some 55 KB per function after an hour, and less before. */
export function createMemorySamples(clock: Clock): Samples {
  /** Function → parts of its hour, by the place of their rows in it. */
  const functions = new Map<string, Map<number, Float64Array>>();
  return {
    note: async (name, sample) => {
      const parts = functions.get(name) ?? new Map<number, Float64Array>();
      const place = (sample.at / SAMPLE_EVERY_MS) % SAMPLES_KEPT;
      const part = Math.floor(place / PART_ROWS);
      const rows = parts.get(part) ?? new Float64Array(PART_ROWS * ROW_LENGTH);
      functions.set(name, parts.set(part, rows));
      rows.set(rowOf(sample), (place % PART_ROWS) * ROW_LENGTH);
    },
    read: async (name, lastMs = SAMPLES_KEPT_MS) => {
      const oldest = clock.now().getTime() - lastMs;
      return [...(functions.get(name)?.values() ?? [])]
        .flatMap(samplesIn)
        .filter(({ at }) => at > oldest)
        .sort((a, b) => a.at - b.at);
    },
    [Symbol.asyncDispose]: async () => functions.clear(),
  };
}

function samplesIn(rows: Float64Array) {
  return Array.from({ length: PART_ROWS }, (_, at) =>
    sampleOf([...rows.subarray(at * ROW_LENGTH, (at + 1) * ROW_LENGTH)]),
  ).flatMap((sample) => sample ?? []);
}
