import type { MANAGEMENT } from "../../../shared/api/kinds.ts";
import type { SentRequest } from "../../platform/kube/request.ts";
import type { Metrics } from "./metrics.ts";

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
