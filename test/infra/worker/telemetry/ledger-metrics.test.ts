import { describe, expect, it } from "vitest";
import { meterLedger } from "../../../../infra/worker/telemetry/ledger-metrics.ts";
import { createMetrics } from "../../../../infra/worker/telemetry/metrics.ts";
import { COUNTED } from "../../../../shared/runtime/queue/queue-port.ts";

const samples = (text: string): readonly string[] =>
  text.split("\n").filter((line) => line.startsWith("capstan_queue_") && !line.endsWith(" 0"));

describe("metrics of the ledger", () => {
  it("Q-34: count the reports of a queue, under the names of infra/worker/telemetry/README.md", async () => {
    const metrics = await createMetrics(["f"]);
    const meter = meterLedger(metrics, ["f"]);
    for (const [index, counted] of COUNTED.entries()) meter.noteCount("f", counted, index + 1);
    meter.noteCount("f", "fenced", 10);
    meter.noteResync("f", "loss");
    expect(samples(await metrics.text()).toSorted()).toEqual([
      'capstan_queue_coalesced_total{function="f"} 1',
      'capstan_queue_fenced_total{function="f"} 15',
      'capstan_queue_lease_expired_total{function="f"} 4',
      'capstan_queue_resent_tokens_total{function="f"} 3',
      'capstan_queue_resync_total{function="f",cause="loss"} 1',
      'capstan_queue_revived_total{function="f",class="live"} 6',
      'capstan_queue_slow_attempts_total{function="f"} 7',
      'capstan_queue_stale_tokens_total{function="f"} 2',
      'capstan_queue_throttled_total{function="f"} 8',
    ]);
  });

  it("S-44: start at 0 for every function, and put what has no place into other", async () => {
    const metrics = await createMetrics(["f"]);
    const meter = meterLedger(metrics, ["f"]);
    meter.noteCount("default/secret-name", "fenced", 1);
    const text = await metrics.text();
    for (const sample of [
      'capstan_queue_coalesced_total{function="f"} 0',
      'capstan_queue_dead_total{function="f",reason="LeaseExpired"} 0',
      'capstan_queue_resync_total{function="f",cause="period"} 0',
      'capstan_queue_fenced_total{function="other"} 1',
    ]) {
      expect(text).toContain(sample);
    }
    expect(text).not.toContain("secret-name");
  });

  it("count the deaths by reason", async () => {
    const metrics = await createMetrics(["f"]);
    const { noteFailure } = meterLedger(metrics, ["f"]);
    const failure = { class: "Transient", reason: "Broken", message: "no" } as const;
    const run = { function: "f", key: "k", failure, failures: 1, retries: 0, causes: [] };
    await noteFailure(run);
    await noteFailure({ ...run, death: { reason: "Terminal", priority: "live", since: new Date(0) } });
    expect(samples(await metrics.text())).toEqual([
      'capstan_queue_dead_total{function="f",reason="Terminal"} 1',
    ]);
  });
});
