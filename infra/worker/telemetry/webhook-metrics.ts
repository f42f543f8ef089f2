import { KINDS } from "../../../shared/api/registry.ts";
import { showCertificateEnd } from "./certificate-end.ts";
import type { Metrics } from "./metrics.ts";

/** One review that the webhook has answered. */
interface AnsweredReview {
  /** Kind of its objects. */
  readonly kind: string;
  readonly isFailure: boolean;
  readonly seconds: number;
}

/** Takes notes of the work of a webhook. */
export interface WebhookNotes {
  review(review: AnsweredReview): void;
  /** A referenced kind has no contract that is known. */
  unknownReference(): void;
  /** This certificate is shown from now on. */
  certificate(endsAt: Date): void;
}

/** Shows what a conversion webhook has done, and when its certificate ends. */
export function meterWebhook(metrics: Metrics): WebhookNotes {
  metrics.add("capstan_webhook_unknown_references_total", {}, 0);
  return {
    review({ kind, isFailure, seconds }) {
      const { plural = "", group = "" } = KINDS.find((each) => each.kind === kind) ?? {};
      const resource = `${plural}.${group}`;
      metrics.add("capstan_webhook_reviews_total", { resource, result: isFailure ? "error" : "success" });
      metrics.observe("capstan_webhook_review_seconds", { resource }, seconds);
    },
    unknownReference: () => metrics.add("capstan_webhook_unknown_references_total", {}),
    certificate: (endsAt) => showCertificateEnd(metrics, "webhook", endsAt),
  };
}
