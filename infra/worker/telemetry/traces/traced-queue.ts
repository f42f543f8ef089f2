import { titleOf } from "../../../../shared/api/kinds.ts";
import type { Lease, Outcome, Queue } from "../../../../shared/runtime/queue/queue-port.ts";
import type { TraceEvent } from "../../../relay/delivery/trace-event.ts";
import { runSpans } from "./run-spans.ts";
import { messagingAttributes, phaseOf, placeAttributes } from "./semantic-attributes.ts";
import {
  type AddSpan,
  formatTraceparent,
  parseTraceparent,
  type Trace,
  type TraceOf,
  versionIds,
} from "./trace-ids.ts";
import type { NoteRunRequest, TracedRequest } from "./traced-clients.ts";

/** Requests of one run that become spans; a mass eviction has more. */
const MAX_REQUESTS = 100;

interface RunTracing {
  readonly traceOf: TraceOf;
  readonly add: AddSpan;
  readonly nowMs: () => number;
}

/** The runs of one process. */
interface TracedRuns {
  /** Returns the same queue; its runs are traced. */
  queue(queue: Queue): Queue;
  /** Returns where the requests of a run are noted; undefined for requests of no run. */
  requestsOf(runId: string | undefined): NoteRunRequest | undefined;
}

/**
 * Traces runs: those of sampled traces, and every run that fails. A run belongs to the trace of its newest cause, without
 * one to that of its tenant.
 */
export function traceRuns({ traceOf, add, nowMs }: RunTracing): TracedRuns {
  const running = new Map<string, NoteRunRequest>();
  const traced = async (
    functionName: string,
    lease: Lease,
    run: (lease: Lease) => Promise<Outcome>,
  ): Promise<Outcome> => {
    const startMs = nowMs();
    const requests: TracedRequest[] = [];
    let leftOut = 0;
    running.set(lease.runId, (request) => {
      if (requests.length < MAX_REQUESTS) requests.push(request);
      else leftOut += 1;
    });
    try {
      const outcome = await run(lease);
      const causes = lease.causes.flatMap(({ traceparent }) => parseTraceparent(traceparent) ?? []);
      const trace = traceOf(lease.key.slice(0, Math.max(0, lease.key.indexOf("|"))));
      if (causes.length > 0 || trace.sampled || outcome.type === "error") {
        const traceId = causes[0]?.traceId ?? trace.traceId;
        const ended = { functionName, lease, outcome, startMs, endMs: nowMs(), requests, leftOut };
        for (const span of runSpans(ended, traceId, causes)) add(span);
      }
      return outcome;
    } finally {
      running.delete(lease.runId);
    }
  };
  return {
    queue: (queue) => ({
      ...queue,
      work: (name, options, run) => queue.work(name, options, (lease) => traced(name, lease, run)),
    }),
    requestsOf: (runId) => (runId === undefined ? undefined : running.get(runId)),
  };
}

interface EventTracing {
  readonly traceOf: TraceOf;
  readonly add: AddSpan;
  readonly nowMs: () => number;
}

/**
 * Returns the tracing of a relay: a span for each event and sampled tenant whose keys it wakes. It links to the request
 * that wrote this version, wherever that was sent: both ids follow from uid and resourceVersion.
 */
export function traceEvents({ traceOf, add, nowMs }: EventTracing): TraceEvent {
  return ({ kind, cluster, before, after }) => {
    const startMs = nowMs();
    const object = after ?? before;
    const { uid = "", resourceVersion = "" } = object?.metadata ?? {};
    const traces = new Map<string, Trace>();
    let ids: ReturnType<typeof versionIds> | undefined;
    return {
      traceparentOf(tenant) {
        const trace = traceOf(tenant);
        if (!trace.sampled) return undefined;
        traces.set(tenant, trace);
        ids ??= versionIds(uid, resourceVersion);
        return formatTraceparent({ traceId: trace.traceId, spanId: ids.event });
      },
      end() {
        if (ids === undefined || object === undefined) return;
        const endMs = nowMs();
        const { namespace = "", name } = object.metadata;
        const attributes = {
          ...messagingAttributes("send"),
          ...placeAttributes(kind.kind, { namespace, name }, cluster),
          "capstan.object": titleOf(kind.kind, object.metadata),
          "capstan.server": cluster,
          "capstan.uid": uid,
          "capstan.resource_version": resourceVersion,
          "capstan.change": changeOf(before !== undefined, after !== undefined),
          "capstan.phase": phaseOf(after),
        };
        for (const [tenant, { traceId }] of traces) {
          add({
            traceId,
            spanId: ids.event,
            name: `event ${kind.kind}`,
            kind: "producer",
            startMs,
            endMs,
            attributes: { "capstan.tenant": tenant, ...attributes },
            links: [{ traceId, spanId: ids.write }],
          });
        }
      },
    };
  };
}

function changeOf(wasThere: boolean, isThere: boolean): string {
  if (!isThere) return "deleted";
  return wasThere ? "modified" : "added";
}
