import { titleOf } from "../../../../shared/api/kinds.ts";
import type { TraceEvent } from "../../../relay/delivery/trace-event.ts";
import { phaseOf } from "./phase-of.ts";
import { messagingAttributes, placeAttributes } from "./semantic-attributes.ts";
import type { AddSpan } from "./span.ts";
import { type Trace, type TraceOf, versionIds } from "./trace-ids.ts";
import { formatTraceparent } from "./traceparent.ts";

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
