import { describe, expect, it } from "vitest";
import { packageVersion } from "../../../../infra/platform/package-version.ts";
import { createMetrics } from "../../../../infra/worker/telemetry/metrics.ts";
import {
  meterProcess,
  meterRequests,
  meterWebhook,
} from "../../../../infra/worker/telemetry/process-metrics.ts";

const sampleOf = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1]);

describe("metrics of the process", () => {
  it("show its version, CPU time and memory, and on Linux its files", async () => {
    const metrics = await createMetrics([]);
    meterProcess(metrics);
    const first = await metrics.text();
    const labels = `version="${packageVersion()}",nodeversion="${process.version}"`;
    expect(first).toContain(`capstan_build_info{${labels}} 1\n`);
    const age = Date.now() / 1_000 - sampleOf(first, "process_start_time_seconds");
    expect(Math.abs(age - process.uptime())).toBeLessThan(60);
    expect(sampleOf(first, "process_resident_memory_bytes")).toBeGreaterThan(1e6);
    if (process.platform === "linux") {
      expect(sampleOf(first, "process_open_fds")).toBeGreaterThan(2);
      expect(sampleOf(first, "process_max_fds")).toBeGreaterThan(sampleOf(first, "process_open_fds"));
      expect(sampleOf(first, "process_virtual_memory_bytes")).toBeGreaterThan(1e6);
    }

    const second = sampleOf(await metrics.text(), "process_cpu_seconds_total");
    const { user, system } = process.cpuUsage();
    expect(second).toBeGreaterThanOrEqual(sampleOf(first, "process_cpu_seconds_total"));
    expect(second).toBeLessThanOrEqual((user + system) / 1e6);
  });
});

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

it("metrics of a webhook count reviews by kind and result, and say when its certificate ends", async () => {
  const metrics = await createMetrics([]);
  const notes = meterWebhook(metrics);
  notes.review({ kind: "Machine", isFailure: false, seconds: 0.002 });
  notes.review({ kind: "Machine", isFailure: true, seconds: 0.002 });
  notes.review({ kind: "of a stranger", isFailure: true, seconds: 0.002 });
  notes.unknownReference();
  notes.certificate(new Date("2026-01-31T00:00:00Z"));
  const text = await metrics.text();
  for (const line of [
    'capstan_webhook_reviews_total{resource="machines.cluster.x-k8s.io",result="success"} 1',
    'capstan_webhook_reviews_total{resource="machines.cluster.x-k8s.io",result="error"} 1',
    'capstan_webhook_reviews_total{resource="other",result="error"} 1',
    'capstan_webhook_review_seconds_bucket{le="0.0025",resource="machines.cluster.x-k8s.io"} 2',
    "capstan_webhook_unknown_references_total 1",
    'capstan_certificate_expiration_timestamp_seconds{certificate="webhook"} 1769817600',
  ])
    expect(text).toContain(`${line}\n`);
});
