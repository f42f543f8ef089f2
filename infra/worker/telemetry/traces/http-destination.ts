import { SECOND } from "../../../../shared/function/backoff.ts";
import type { ServerAccess } from "../../../platform/kube/server-access.ts";
import { createTransport } from "../../../platform/kube/transport.ts";
import type { Delivered, Destination } from "./exporter.ts";

const WITHIN_MS = 10 * SECOND;
const ANSWER_LIMIT_BYTES = 64 * 1024;
/** OTLP 1, "Failures": the same request may be sent again. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Sends spans to a collector by OTLP/HTTP. `server` is its base URL; redirects are not followed. Rejects without an answer
 * within 10 s.
 */
export function httpDestination(
  access: ServerAccess,
  headers: Readonly<Record<string, string>>,
): Destination {
  const transport = createTransport(access);
  return {
    async send(body): Promise<Delivered> {
      const request = {
        method: "POST",
        path: "/v1/traces",
        headers: { ...headers, "Content-Type": "application/json" },
        body,
      };
      const { status } = await transport.send(request, ANSWER_LIMIT_BYTES, AbortSignal.timeout(WITHIN_MS));
      if (status >= 200 && status < 300) return "sent";
      return RETRYABLE.has(status) ? "later" : "refused";
    },
    [Symbol.dispose]: () => transport[Symbol.dispose](),
  };
}
