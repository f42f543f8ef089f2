import type { Clock } from "../../shared/runtime/ports.ts";
import { SAMPLE_EVERY_MS, SAMPLES_KEPT, type Samples } from "../../shared/runtime/samples.ts";
import { ROW_LENGTH, rowOf, sampleOf } from "./sample-row.ts";

/** Keeps the samples of one process: some 55 KB per function. */
export function createMemorySamples(clock: Clock): Samples {
  const functions = new Map<string, Float64Array>();
  return {
    note: async (name, sample) => {
      const rows = functions.get(name) ?? new Float64Array(SAMPLES_KEPT * ROW_LENGTH);
      functions.set(name, rows);
      rows.set(rowOf(sample), ((sample.at / SAMPLE_EVERY_MS) % SAMPLES_KEPT) * ROW_LENGTH);
    },
    read: async (name) => {
      const rows = functions.get(name) ?? new Float64Array();
      const oldest = clock.now().getTime() - SAMPLES_KEPT * SAMPLE_EVERY_MS;
      return Array.from({ length: rows.length / ROW_LENGTH }, (_, at) =>
        sampleOf([...rows.subarray(at * ROW_LENGTH, (at + 1) * ROW_LENGTH)]),
      )
        .flatMap((sample) => sample ?? [])
        .filter(({ at }) => at > oldest)
        .sort((a, b) => a.at - b.at);
    },
    [Symbol.asyncDispose]: async () => functions.clear(),
  };
}
