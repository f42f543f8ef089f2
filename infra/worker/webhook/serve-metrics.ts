import { type DiagnosticsOptions, startDiagnostics } from "../diagnostics/diagnostics.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { meterProcess, meterWebhook, type WebhookNotes } from "../telemetry/process-metrics.ts";

/** Serves the metrics of a webhook beyond loopback, and returns what takes notes for them. */
export async function serveMetrics(
  diagnostics: Omit<DiagnosticsOptions, "page" | "metrics">,
): Promise<AsyncDisposable & { readonly notes: WebhookNotes }> {
  const metrics = await createMetrics([]);
  meterProcess(metrics);
  const listener = await startDiagnostics({
    ...diagnostics,
    metrics,
    page: async ({ path }) =>
      path === "/metrics"
        ? { code: 200, text: await metrics.text(), contentType: metrics.contentType }
        : { code: 404, text: "there is /metrics\n" },
  });
  return { notes: meterWebhook(metrics), [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() };
}
