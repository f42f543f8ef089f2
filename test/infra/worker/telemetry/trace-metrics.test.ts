import { describe, expect, it } from "vitest";
import { createMetrics } from "../../../../infra/worker/telemetry/metrics.ts";
import { meterTraces } from "../../../../infra/worker/telemetry/trace-metrics.ts";

describe("metrics of traces", () => {
  it("count the spans that were lost, from 0, and are absent in a process that does not trace", async () => {
    const metrics = await createMetrics([]);
    expect(await metrics.text()).not.toContain("\ncapstan_trace_dropped_spans_total ");
    let dropped = 0;
    meterTraces({ droppedSpans: () => dropped }, metrics);
    expect(await metrics.text()).toContain("capstan_trace_dropped_spans_total 0\n");
    dropped = 952;
    expect(await metrics.text()).toContain("capstan_trace_dropped_spans_total 952\n");
    expect(await metrics.text()).toContain("capstan_trace_dropped_spans_total 952\n");
  });
});
