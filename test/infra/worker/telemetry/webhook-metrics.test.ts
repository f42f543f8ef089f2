import { expect, it } from "vitest";
import { createMetrics } from "../../../../infra/worker/telemetry/metrics.ts";
import { meterWebhook } from "../../../../infra/worker/telemetry/webhook-metrics.ts";

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
