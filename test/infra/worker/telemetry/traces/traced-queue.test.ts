import { describe, expect, it } from "vitest";
import { createMemoryQueue } from "../../../../../infra/queue/backends/embedded/queue.ts";
import {
  createTraceOf,
  formatTraceparent,
  type Span,
  versionIds,
} from "../../../../../infra/worker/telemetry/traces/trace-ids.ts";
import { traceClients } from "../../../../../infra/worker/telemetry/traces/traced-clients.ts";
import { traceEvents, traceRuns } from "../../../../../infra/worker/telemetry/traces/traced-queue.ts";
import { MANAGEMENT } from "../../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../../shared/api/machinepool.ts";
import { DEFAULT_QUEUE } from "../../../../../shared/function/backoff.ts";
import { KubeError } from "../../../../../shared/function/errors.ts";
import type { Clients, KubeClient } from "../../../../../shared/runtime/ports.ts";
import type { Cause, Lease, Outcome } from "../../../../../shared/runtime/queue/queue-port.ts";
import type { Change } from "../../../../../shared/runtime/queue/route.ts";
import { CANARY } from "../../../../support/canaries.ts";
import { virtualClock } from "../../../../support/clock.ts";
import { eventually } from "../../../../support/eventually.ts";

const FN = "machinepool-nodes";
const KEY = "default/c1|MachinePool|default/p1";
const OK: Outcome = { type: "ok", requested: false, fences: [] };
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const AT = { namespace: "default", name: "p1" };
const causeOf = (spanId: string): Cause => ({
  what: "MachinePool default/p1",
  resourceVersion: spanId,
  traceparent: formatTraceparent({ traceId: TRACE, spanId }),
});

/** Answers of a server: p1 is there and can be written, everything else is refused. */
const server = {
  get: async () => ({ metadata: { uid: "u1", resourceVersion: "7" } }),
  apply: async () => ({ metadata: { uid: "u1", resourceVersion: "8" }, status: { phase: "Running" } }),
  delete: async () => {
    throw new KubeError({ class: "Transient", status: 409, reason: "Conflict", message: "no" });
  },
} as unknown as KubeClient;
const clients: Clients = { of: () => server };

async function spansOf(
  ratio: number,
  causes: readonly Cause[],
  run: (lease: Lease, traced: Clients) => Promise<Outcome>,
): Promise<readonly Span[]> {
  const clock = virtualClock();
  const nowMs = () => clock.now().getTime();
  const spans: Span[] = [];
  const runs = traceRuns({ traceOf: createTraceOf(ratio, nowMs), add: (span) => spans.push(span), nowMs });
  await using queue = await createMemoryQueue({ clock, random: () => 0 });
  const traced = runs.queue(queue);
  const client = traceClients(clients, runs.requestsOf, nowMs);
  for (const cause of causes) await traced.enqueue(FN, [{ key: KEY, priority: "live", cause }]);
  let ended = 0;
  await using _worker = await traced.work(
    FN,
    { ...DEFAULT_QUEUE, attempts: 1, owner: "w" },
    async (lease) => {
      try {
        return await run(lease, client);
      } finally {
        ended += 1;
      }
    },
  );
  await eventually(() => ended > 0, { withinMs: 5_000, clock });
  await clock.advance(1);
  return spans;
}

describe("a traced run", () => {
  it("is a child of its newest cause, links to the others, and has its requests below it", async () => {
    let runId = "";
    const spans = await spansOf(
      0,
      [causeOf("00f067aa0ba902b7"), causeOf("b7ad6b7169203331")],
      async (lease, traced) => {
        runId = lease.runId;
        const client = traced.of(MANAGEMENT, FN, { runId });
        await client.get(MachinePool, AT);
        await client.apply(MachinePool, AT, { secret: CANARY }, "status");
        await client.delete(MachinePool, AT, { uid: "u1" }).catch(() => undefined);
        return OK;
      },
    );
    const [wait, run, ...requests] = spans;
    expect(wait).toMatchObject({ name: `wait ${FN}`, parentSpanId: "b7ad6b7169203331", traceId: TRACE });
    expect(run).toMatchObject({
      name: FN,
      traceId: TRACE,
      spanId: runId,
      parentSpanId: "b7ad6b7169203331",
      links: [{ traceId: TRACE, spanId: "00f067aa0ba902b7" }],
      attributes: {
        "messaging.operation.type": "process",
        "messaging.destination.name": FN,
        "k8s.namespace.name": "default",
        "capstan.key": KEY,
        "capstan.outcome": "ok",
      },
      error: undefined,
    });
    expect(
      requests.map((each) => [each.name, each.attributes["http.response.status_code"], each.error]),
    ).toEqual([
      ["get MachinePool", 200, undefined],
      ["apply MachinePool/status", 200, undefined],
      ["delete MachinePool", 409, "HTTP 409"],
    ]);
    for (const each of requests) {
      expect(each).toMatchObject({
        traceId: TRACE,
        parentSpanId: runId,
        attributes: { "capstan.audit_id": runId },
      });
    }
    expect(requests[1]).toMatchObject({
      spanId: versionIds("u1", "8").write,
      attributes: { "capstan.uid": "u1", "capstan.resource_version": "8", "capstan.phase": "Running" },
    });
    expect(JSON.stringify(spans)).not.toContain(CANARY);
  });

  it("that fails is traced whatever is sampled, others are not", async () => {
    const failure = {
      class: "Transient",
      reason: "Odd",
      message: `Authorization: Bearer ${CANARY}`,
    } as const;
    const failed: Outcome = { type: "error", failure, terminal: false, requested: false };
    const spans = await spansOf(0, [{ what: "timer" }], async () => failed);
    expect(spans.map(({ name }) => name)).toEqual([`wait ${FN}`, FN]);
    expect(spans[1]?.error).toMatch(/^Odd: /);
    expect(spans[1]?.parentSpanId).toBeUndefined();
    expect(JSON.stringify(spans)).not.toContain(CANARY);
    expect(await spansOf(0, [{ what: "timer" }], async () => OK)).toEqual([]);
    expect((await spansOf(1, [{ what: "timer" }], async () => OK)).length).toBe(2);
  });

  it("ignores a traceparent that is malformed", async () => {
    const cause = { what: "MachinePool default/p1", traceparent: "00-x" };
    const [, run] = await spansOf(1, [cause], async () => OK);
    expect(run?.traceId).toBe(createTraceOf(1, () => virtualClock().now().getTime())("default/c1").traceId);
    expect(run?.parentSpanId).toBeUndefined();
  });

  it("has 100 requests at most, and says how many more there were", async () => {
    const spans = await spansOf(1, [{ what: "timer" }], async ({ runId }, traced) => {
      for (let count = 0; count < 130; count += 1) {
        await traced.of(MANAGEMENT, FN, { runId }).get(MachinePool, AT);
      }
      return OK;
    });
    expect(spans.length).toBe(102);
    expect(spans[1]?.attributes["capstan.requests_left_out"]).toBe(30);
  });

  it("leaves requests of no run alone", () => {
    const runs = traceRuns({ traceOf: createTraceOf(1, () => 0), add: () => undefined, nowMs: () => 0 });
    const traced = traceClients(clients, runs.requestsOf, () => 0);
    expect(traced.of(MANAGEMENT, "relay")).toBe(server);
    expect(traced.of(MANAGEMENT, FN, { runId: "unknown" })).toBe(server);
  });
});

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
