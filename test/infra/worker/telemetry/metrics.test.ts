import { describe, expect, it } from "vitest";
import { LABEL_VALUES } from "../../../../infra/worker/telemetry/metric-labels.ts";
import { METRICS, type MetricSpec, metricRows } from "../../../../infra/worker/telemetry/metric-specs.ts";
import { createMetrics } from "../../../../infra/worker/telemetry/metrics.ts";

const FUNCTION = "machinepool-nodes";

describe("metrics", () => {
  it("have the names that dashboards of controller-runtime ask for", async () => {
    const metrics = await createMetrics([FUNCTION]);
    const text = await metrics.text();
    for (const name of [
      "workqueue_depth",
      "workqueue_adds_total",
      "workqueue_queue_duration_seconds",
      "workqueue_work_duration_seconds",
      "workqueue_unfinished_work_seconds",
      "workqueue_longest_running_processor_seconds",
      "workqueue_retries_total",
      "controller_runtime_reconcile_total",
      "controller_runtime_reconcile_errors_total",
      "controller_runtime_terminal_reconcile_errors_total",
      "controller_runtime_reconcile_panics_total",
      "controller_runtime_reconcile_time_seconds",
      "controller_runtime_max_concurrent_reconciles",
      "controller_runtime_active_workers",
    ]) {
      expect(text).toContain(`# TYPE ${name} `);
    }
  });

  it("S-44: a label never says anything that is not in its closed set", async () => {
    const metrics = await createMetrics([FUNCTION]);
    metrics.add("controller_runtime_reconcile_errors_total", { controller: FUNCTION });
    metrics.add("controller_runtime_reconcile_errors_total", { controller: "default/my-pool" });
    for (let n = 0; n < 1_000; n += 1) {
      const labels = { server: "workload", resource: `kind${n}`, cause: `Reason${n}` };
      metrics.add("capstan_relay_reconnects_total", labels);
    }
    const text = await metrics.text();
    expect(text).toContain(`controller_runtime_reconcile_errors_total{controller="${FUNCTION}"} 1`);
    expect(text).toContain('controller_runtime_reconcile_errors_total{controller="other"} 1');
    expect(text).toContain(
      'capstan_relay_reconnects_total{server="workload",resource="other",cause="other"} 1000',
    );
    expect(text).not.toMatch(/my-pool|kind\d|Reason\d/);
  });

  it("every label is the function or one of a list", () => {
    const closed = new Set(["name", "controller", "function", ...Object.keys(LABEL_VALUES)]);
    const labels = Object.values<MetricSpec>(METRICS).flatMap((spec) => spec.labels);
    expect(labels.filter((label) => !closed.has(label))).toEqual([]);
  });

  it("say nothing about values that were never read", async () => {
    const metrics = await createMetrics([FUNCTION]);
    expect(await metrics.text()).not.toMatch(/^[a-z]/m);
    metrics.set("capstan_relay_ready", {}, 1);
    expect(await metrics.text()).toContain("\ncapstan_relay_ready 1\n");
  });

  it("look once for scrapes at the same time, and again for the next", async () => {
    const metrics = await createMetrics([FUNCTION]);
    let looks = 0;
    metrics.onScrape(async () => {
      looks += 1;
      metrics.set("capstan_queue_dead_keys", { function: FUNCTION }, looks);
    });
    const [first, second] = await Promise.all([metrics.text(), metrics.text()]);
    expect(first).toBe(second);
    expect(await metrics.text()).toContain(`capstan_queue_dead_keys{function="${FUNCTION}"} 2`);
  });

  it("are listed with their labels for people", () => {
    const rows = metricRows();
    expect(rows).toHaveLength(Object.keys(METRICS).length);
    expect(rows[0]).toEqual([
      "`workqueue_depth{name,controller,priority}`",
      "gauge",
      "Keys that are ready to run, in the whole queue.",
    ]);
  });
});
