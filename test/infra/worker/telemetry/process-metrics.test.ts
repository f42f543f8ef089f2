import { describe, expect, it } from "vitest";
import { packageVersion } from "../../../../infra/platform/package-version.ts";
import { createMetrics } from "../../../../infra/worker/telemetry/metrics.ts";
import { meterProcess } from "../../../../infra/worker/telemetry/process-metrics.ts";

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
