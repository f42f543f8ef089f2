import { describe, expect, it } from "vitest";
import { createMetrics } from "../../../../infra/worker/telemetry/metrics.ts";
import { meterRequests } from "../../../../infra/worker/telemetry/request-metrics.ts";

const samples = (text: string): readonly string[] =>
  text.split("\n").filter((line) => line.startsWith("rest_client_") && !line.includes("_bucket"));

describe("metrics of requests", () => {
  it("count as client-go does, and never name a workload server", async () => {
    const metrics = await createMetrics([]);
    const note = meterRequests(metrics);
    note("management", { method: "GET", status: 200, seconds: 0.5 });
    note("management", { method: "GET", status: 200 });
    note("workload", { method: "PATCH", status: 0, seconds: 10 });
    note("workload", { method: "default/c1", status: 299 });
    expect(samples(await metrics.text())).toEqual([
      'rest_client_requests_total{code="200",method="GET",host="management"} 2',
      'rest_client_requests_total{code="<error>",method="PATCH",host="workload"} 1',
      'rest_client_requests_total{code="other",method="other",host="workload"} 1',
      'rest_client_request_duration_seconds_sum{verb="GET",host="management"} 0.5',
      'rest_client_request_duration_seconds_count{verb="GET",host="management"} 1',
      'rest_client_request_duration_seconds_sum{verb="PATCH",host="workload"} 10',
      'rest_client_request_duration_seconds_count{verb="PATCH",host="workload"} 1',
    ]);
  });
});
