import type { LABEL_VALUES } from "./metric-labels.ts";
import type { Metrics } from "./metrics.ts";

/** Shows when a certificate that this process depends on ends: of the server of the queue, or of a listener of its own. */
export function showCertificateEnd(
  metrics: Metrics,
  certificate: (typeof LABEL_VALUES.certificate)[number],
  endsAt: Date,
): void {
  metrics.set("capstan_certificate_expiration_timestamp_seconds", { certificate }, endsAt.getTime() / 1_000);
}
