import { describe, expect, it } from "vitest";
import { seriesOf } from "../../../../infra/queue/samples/series.ts";
import { NO_RUNS } from "../../../../shared/runtime/queue/run-counts.ts";
import { SAMPLE_EVERY_MS } from "../../../../shared/runtime/queue/samples.ts";

const START = Date.parse("2026-01-01T00:00:00Z");

/** `runs` took at most 5 ms, `slow` between 25 and 50 ms. */
function sample(
  row: number,
  counts: { readonly runs?: number; readonly slow?: number; readonly failures?: number },
) {
  const { runs = 0, slow = 0, failures = 0 } = counts;
  const durations = NO_RUNS.durations.map((_, group) => (group === 0 ? runs : group === 3 ? slow : 0));
  const at = START + row * SAMPLE_EVERY_MS;
  return { at, ready: row, waiting: 1, running: 2, dead: 3, oldestReadyMs: 4, failures, durations };
}

describe("samples as columns", () => {
  it("have a row per 10 s, and null where nothing is known", () => {
    const rows = [
      sample(0, { runs: 5 }),
      sample(1, { runs: 15, failures: 2 }),
      sample(3, { runs: 20 }),
      sample(4, { runs: 20 }),
    ];
    const series = seriesOf(rows, 0);
    expect(series).toMatchObject({ stepMs: SAMPLE_EVERY_MS, from: START });
    expect(series.ready).toEqual([0, 1, null, 3, 4]);
    expect(series.dead).toEqual([3, 3, null, 3, 3]);
    expect(series.oldestReadyMs).toEqual([4, 4, null, 4, 4]);
    // Of a row without the one before nothing is known.
    expect(series.runs).toEqual([null, 10, null, null, 0]);
    expect(series.failures).toEqual([null, 2, null, null, 0]);
    expect(series.p50Ms).toEqual([null, 2.5, null, null, null]);
  });

  it("show slow runs beside the others, and begin again when a ledger has lost its counts", () => {
    const rows = [sample(0, { runs: 100 }), sample(1, { runs: 190, slow: 10 }), sample(2, { runs: 4 })];
    const { runs, p50Ms, p99Ms } = seriesOf(rows, 0);
    expect(runs).toEqual([null, 100, 4]);
    expect(p50Ms[1]).toBeLessThanOrEqual(5);
    expect(p99Ms[1]).toBeGreaterThan(25);
  });

  it("are empty without samples", () => {
    expect(seriesOf([], START)).toMatchObject({ from: START, ready: [], runs: [] });
  });
});
