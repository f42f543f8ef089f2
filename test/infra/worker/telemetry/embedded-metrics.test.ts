import { describe, expect, it } from "vitest";
import { createEmbeddedMetrics } from "../../../../infra/worker/telemetry/embedded-metrics.ts";
import { virtualClock } from "../../../support/clock.ts";

const NAME = "machinepool-nodes";
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("metrics in a log", () => {
  it("are one line per set of labels, in CloudWatch's embedded metric format", async () => {
    const metrics = createEmbeddedMetrics([NAME], virtualClock());
    metrics.add("controller_runtime_reconcile_total", { controller: NAME, result: "success" });
    metrics.add("controller_runtime_reconcile_total", { controller: NAME, result: "success" }, 2);
    metrics.observe("controller_runtime_reconcile_time_seconds", { controller: NAME }, 0.1);
    metrics.observe("controller_runtime_reconcile_time_seconds", { controller: NAME }, 0.2);
    metrics.add("controller_runtime_reconcile_errors_total", { controller: NAME }, 1);
    metrics.add("controller_runtime_reconcile_panics_total", { controller: NAME }, 0);
    metrics.set("capstan_queue_healthy", {}, 1);
    expect(linesOf(await metrics.text())).toEqual([
      {
        _aws: {
          Timestamp: Date.parse("2026-01-01T00:00:00Z"),
          CloudWatchMetrics: [
            {
              Namespace: "capstan",
              Dimensions: [["controller", "result"]],
              Metrics: [{ Name: "controller_runtime_reconcile_total", Unit: "Count" }],
            },
          ],
        },
        controller: NAME,
        result: "success",
        controller_runtime_reconcile_total: 3,
      },
      {
        _aws: {
          Timestamp: Date.parse("2026-01-01T00:00:00Z"),
          CloudWatchMetrics: [
            {
              Namespace: "capstan",
              Dimensions: [["controller"]],
              Metrics: [
                { Name: "controller_runtime_reconcile_time_seconds", Unit: "Seconds" },
                { Name: "controller_runtime_reconcile_errors_total", Unit: "Count" },
              ],
            },
          ],
        },
        controller: NAME,
        controller_runtime_reconcile_time_seconds: [0.1, 0.2],
        controller_runtime_reconcile_errors_total: 1,
      },
    ]);
    expect(await metrics.text()).toBe("");
  });

  it("have at most 100 values in a line, and only labels of closed sets", async () => {
    const metrics = createEmbeddedMetrics([NAME], virtualClock());
    for (let run = 0; run < 250; run += 1) {
      metrics.observe("controller_runtime_reconcile_time_seconds", { controller: "foreign" }, run);
    }
    const lines = linesOf(await metrics.text());
    const lengths = lines.map((line) => line.controller_runtime_reconcile_time_seconds.length);
    expect(lengths).toEqual([100, 100, 50]);
    expect(lines.map(({ controller }) => controller)).toEqual(["other", "other", "other"]);
  });
});
