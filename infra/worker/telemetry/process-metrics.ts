import { readdir, readFile } from "node:fs/promises";
import type { MANAGEMENT } from "../../../shared/api/kinds.ts";
import { KINDS } from "../../../shared/api/registry.ts";
import type { SentRequest } from "../../platform/kube/request.ts";
import { packageVersion } from "../../platform/package-version.ts";
import { type Metrics, showCertificateEnd } from "./metrics.ts";

/** Shows what this process is and uses, under the names of every Prometheus client; read at each scrape. */
export function meterProcess(metrics: Metrics): void {
  metrics.set("capstan_build_info", { version: packageVersion(), nodeversion: process.version }, 1);
  metrics.set("process_start_time_seconds", {}, Date.now() / 1_000 - process.uptime());
  let counted = 0;
  metrics.onScrape(async () => {
    const { user, system } = process.cpuUsage();
    const seconds = (user + system) / 1_000_000;
    metrics.add("process_cpu_seconds_total", {}, Math.max(0, seconds - counted));
    counted = seconds;
    metrics.set("process_resident_memory_bytes", {}, process.memoryUsage.rss());
    await showFiles(metrics);
  });
}

/** Linux only: elsewhere these are left out. */
async function showFiles(metrics: Metrics): Promise<void> {
  const [open, limits, status] = await Promise.all([
    readdir("/proc/self/fd").catch(() => undefined),
    readFile("/proc/self/limits", "utf8").catch(() => ""),
    readFile("/proc/self/status", "utf8").catch(() => ""),
  ]);
  const most = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  const virtualKib = /^VmSize:\s+(\d+) kB/m.exec(status)?.[1];
  if (open !== undefined) metrics.set("process_open_fds", {}, open.length);
  if (most !== undefined) metrics.set("process_max_fds", {}, Number(most));
  if (virtualKib !== undefined) metrics.set("process_virtual_memory_bytes", {}, Number(virtualKib) * 1_024);
}

/** Called with every request to the management API server, or to a workload one. */
export type NoteRequest = (host: typeof MANAGEMENT | "workload", request: SentRequest) => void;

/**
 * Counts requests to API servers as client-go does, with two values of `host`: names of workload servers are for
 * `/status` (S-44).
 */
export function meterRequests(metrics: Metrics): NoteRequest {
  return (host, { method, status, seconds }) => {
    const code = status === 0 ? "<error>" : String(status);
    metrics.add("rest_client_requests_total", { code, method, host });
    if (seconds !== undefined) {
      metrics.observe("rest_client_request_duration_seconds", { verb: method, host }, seconds);
    }
  };
}

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
