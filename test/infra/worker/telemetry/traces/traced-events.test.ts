import { describe, expect, it } from "vitest";
import type { Span } from "../../../../../infra/worker/telemetry/traces/span.ts";
import { createTraceOf, versionIds } from "../../../../../infra/worker/telemetry/traces/trace-ids.ts";
import { traceEvents } from "../../../../../infra/worker/telemetry/traces/traced-events.ts";
import { formatTraceparent } from "../../../../../infra/worker/telemetry/traces/traceparent.ts";
import { MANAGEMENT } from "../../../../../shared/api/kinds.ts";
import type { Change } from "../../../../../shared/runtime/queue/route.ts";

const pool = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "MachinePool",
  metadata: { name: "p1", namespace: "default", uid: "u1", resourceVersion: "7" },
  status: { phase: "Running" },
};
const CHANGE: Change = {
  kind: { group: "cluster.x-k8s.io", kind: "MachinePool" },
  cluster: MANAGEMENT,
  after: pool,
};

function openEvents(ratio: number) {
  const spans: Span[] = [];
  const traceOf = createTraceOf(ratio, () => 0);
  return {
    spans,
    traceOf,
    traceEvent: traceEvents({ traceOf, add: (span) => spans.push(span), nowMs: () => 5 }),
  };
}

describe("a traced event", () => {
  it("passes its span to the causes, and links back to the write of its version", () => {
    const { spans, traceOf, traceEvent } = openEvents(1);
    const traced = traceEvent(CHANGE);
    const { traceId } = traceOf("default/c1");
    const { event, write } = versionIds("u1", "7");
    expect(traced.traceparentOf("default/c1")).toBe(formatTraceparent({ traceId, spanId: event }));
    expect(traced.traceparentOf("default/c1")).toBe(formatTraceparent({ traceId, spanId: event }));
    traced.end();
    expect(spans).toEqual([
      {
        traceId,
        spanId: event,
        name: "event MachinePool",
        kind: "producer",
        startMs: 5,
        endMs: 5,
        attributes: {
          "messaging.system": "capstan",
          "messaging.operation.type": "send",
          "messaging.operation.name": "enqueue",
          "k8s.namespace.name": "default",
          "capstan.tenant": "default/c1",
          "capstan.object": "MachinePool default/p1",
          "capstan.server": MANAGEMENT,
          "capstan.uid": "u1",
          "capstan.resource_version": "7",
          "capstan.change": "added",
          "capstan.phase": "Running",
        },
        links: [{ traceId, spanId: write }],
      },
    ]);
  });

  it("is in the trace of each tenant whose keys it wakes", () => {
    const { spans, traceEvent } = openEvents(1);
    const traced = traceEvent({ ...CHANGE, before: pool });
    for (const tenant of ["default/c1", "default/-"]) traced.traceparentOf(tenant);
    traced.end();
    expect(
      spans.map(({ attributes }) => [attributes["capstan.tenant"], attributes["capstan.change"]]),
    ).toEqual([
      ["default/c1", "modified"],
      ["default/-", "modified"],
    ]);
  });

  it("has no span when it wakes nothing, or nothing that is sampled", () => {
    const all = openEvents(1);
    all.traceEvent(CHANGE).end();
    const none = openEvents(0);
    const traced = none.traceEvent(CHANGE);
    expect(traced.traceparentOf("default/c1")).toBeUndefined();
    traced.end();
    expect([...all.spans, ...none.spans]).toEqual([]);
  });
});
