import { describe, expect, it } from "vitest";
import { durationsSchema, samplesSchema } from "../../../../infra/console/api/queue.ts";
import { defineFunction } from "../../../../shared/function/define-function.ts";
import { done } from "../../../../shared/function/result.ts";
import { NO_RUNS } from "../../../../shared/runtime/queue/run-counts.ts";
import { serveTestConsole } from "../../../support/console.ts";
import { allowingIn } from "../../../support/console-queue.ts";
import { Widget } from "../../../support/widget.ts";

const GROW = defineFunction(
  { name: "widget-grow", summary: "Grows.", source: "own", reconciles: Widget, watches: [], owns: [] },
  async () => ({ result: done }),
);
const AT = Date.parse("2026-01-01T00:00:00Z");
const SAMPLE = { at: AT, ready: 1, waiting: 2, running: 3, dead: 4, oldestReadyMs: 5, ...NO_RUNS };

/** A minute in which 98 runs took 10 ms at most, and 2 of them a second. */
const MINUTE = [0, 60_000].map((ms) => ({
  ...SAMPLE,
  at: AT + ms,
  durations: NO_RUNS.durations.map((_, group) =>
    ms === 0 ? 7 : 7 + (group === 1 ? 98 : group === 7 ? 2 : 0),
  ),
}));

function serve(...namespaces: readonly string[]) {
  return serveTestConsole({
    functions: [GROW],
    reviewer: allowingIn(...namespaces),
    namespaces: async () => ["a", "b"],
    ports: { samples: async (_, lastMs) => (lastMs === undefined ? [SAMPLE] : MINUTE) },
  });
}

describe("samples in the console", () => {
  it("say how long the runs of each function took, to those who see all namespaces", async () => {
    await using world = await serve("all");
    const { body } = await world.ask("/api/v1/durations", { headers: await world.logIn() });
    const [item] = durationsSchema.parse(body).items;
    expect(item).toMatchObject({ function: "widget-grow", runs: 100 });
    expect(item?.p50Ms).toBeGreaterThan(5);
    expect(item?.p50Ms).toBeLessThanOrEqual(10);
    expect(item?.p99Ms).toBeGreaterThan(500);
    await using partly = await serve("a");
    const answer = await partly.ask("/api/v1/durations", { headers: await partly.logIn() });
    expect(answer).toMatchObject({ status: 403, body: { reason: "Forbidden" } });
  });

  it("are for those who see all namespaces, as they are sums over all", async () => {
    await using world = await serve("all");
    const headers = await world.logIn();
    const { body } = await world.ask("/api/v1/queue/widget-grow/samples", { headers });
    expect(samplesSchema.parse(body)).toMatchObject({
      from: "2026-01-01T00:00:00.000Z",
      stepMs: 10_000,
      ready: [1],
      dead: [4],
      runs: [null],
    });
    expect(await world.ask("/api/v1/queue/nothing/samples", { headers })).toMatchObject({ status: 404 });
    await using partly = await serve("a");
    const answer = await partly.ask("/api/v1/queue/widget-grow/samples", { headers: await partly.logIn() });
    expect(answer).toMatchObject({ status: 403, body: { reason: "Forbidden" } });
  });
});
