import { maskText } from "../../../../shared/redaction/redact.ts";
import { outcomeName } from "../../../../shared/runtime/decide/failure.ts";
import { parseKey } from "../../../../shared/runtime/queue/key.ts";
import type { Lease, Outcome } from "../../../../shared/runtime/queue/queue-port.ts";
import { systemRandom } from "../../../platform/random.ts";
import { messagingAttributes, placeAttributes } from "./semantic-attributes.ts";
import { type Attributes, type Span, type SpanContext, versionIds } from "./trace-ids.ts";
import type { TracedRequest } from "./traced-clients.ts";

interface TracedRun {
  readonly functionName: string;
  readonly lease: Lease;
  readonly outcome: Outcome;
  readonly startMs: number;
  readonly endMs: number;
  readonly requests: readonly TracedRequest[];
  /** Requests beyond those that were kept. */
  readonly leftOut: number;
}

/**
 * Returns the spans of a run: the wait before it, the run, whose span id is the id of the run, and its requests. `causes`
 * are the events that woke it, newest first.
 */
export function runSpans(
  run: TracedRun,
  traceId: string,
  [parent, ...others]: readonly SpanContext[],
): readonly Span[] {
  const { functionName, lease, outcome, startMs, endMs, requests } = run;
  const { readyMs } = lease;
  const parentSpanId = parent?.spanId;
  const wait: Span | undefined =
    readyMs === undefined
      ? undefined
      : {
          traceId,
          spanId: newSpanId(),
          parentSpanId,
          name: `wait ${functionName}`,
          kind: "internal",
          startMs: startMs - readyMs,
          endMs: startMs,
          attributes: { "capstan.key": lease.key },
        };
  const ran: Span = {
    traceId,
    spanId: lease.runId,
    parentSpanId,
    name: functionName,
    kind: "consumer",
    startMs,
    endMs,
    attributes: { ...attributesOf(run), "capstan.requests_left_out": run.leftOut || undefined },
    links: others,
    error: errorOf(outcome),
  };
  const sent = requests.map((request) => requestSpan(request, { traceId, spanId: lease.runId }));
  return [...(wait === undefined ? [] : [wait]), ran, ...sent];
}

function attributesOf({ functionName, lease, outcome }: TracedRun): Attributes {
  const object = parseKey(lease.key);
  return {
    ...messagingAttributes("process", functionName),
    ...placeAttributes(object?.kind ?? "", object),
    "capstan.key": lease.key,
    "capstan.cause": lease.causes[0]?.what,
    "capstan.outcome": outcomeName(outcome),
    "capstan.failures": lease.failures || undefined,
    "capstan.waiting_for": outcome.type === "ok" ? outcome.waitingFor : undefined,
    "capstan.after_ms": outcome.type === "error" ? undefined : outcome.afterMs,
  };
}

function errorOf(outcome: Outcome): string | undefined {
  if (outcome.type !== "error") return undefined;
  return maskText(`${outcome.failure.reason}: ${outcome.failure.message}`);
}

function requestSpan(request: TracedRequest, run: SpanContext): Span {
  const { verb, kind, key, subresource, cluster, startMs, endMs, status, written } = request;
  const isRefused = status === 0 || status >= 400;
  return {
    traceId: run.traceId,
    spanId: written === undefined ? newSpanId() : versionIds(written.uid, written.resourceVersion).write,
    parentSpanId: run.spanId,
    name: `${verb} ${kind.kind}${subresource === undefined ? "" : `/${subresource}`}`,
    kind: "client",
    startMs,
    endMs,
    attributes: {
      ...placeAttributes(kind.kind, key, cluster),
      "capstan.object": key === undefined ? undefined : `${kind.kind} ${nameOf(key)}`,
      "capstan.server": cluster,
      "http.response.status_code": status,
      "capstan.audit_id": run.spanId,
      "capstan.uid": written?.uid,
      "capstan.resource_version": written?.resourceVersion,
      "capstan.phase": written?.phase,
    },
    // A read of an object that is missing is an answer.
    error: isRefused && !(verb === "get" && status === 404) ? `HTTP ${status}` : undefined,
  };
}

function nameOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

function newSpanId(): string {
  return systemRandom.id(8);
}
