import { describe, expect, it } from "vitest";
import { Node } from "../../../../shared/api/core.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import type { AttemptRecord, RecordedWrite } from "../../../../shared/runtime/attempt-record.ts";
import { runEntryOf, titleOfWrite } from "../../../../shared/runtime/letters/run-entry.ts";
import type { Lease, Outcome } from "../../../../shared/runtime/queue/queue-port.ts";

const LEASE: Lease = {
  key: "default/c1|MachinePool|default/p1",
  runId: "r1",
  causes: [{ what: "Cluster default/c1", resourceVersion: "7" }],
  failures: 0,
  retries: 0,
  fences: [],
  signal: new AbortController().signal,
};
const STATUS: RecordedWrite = {
  verb: "apply",
  cluster: "management",
  kind: MachinePool,
  key: { namespace: "default", name: "p1" },
  subresource: "status",
  fieldManager: "capstan-machinepool-status",
  body: { status: { phase: "Running" } },
  outcome: { resourceVersion: "8" },
};
const nodeWrite = (name: string, outcome: RecordedWrite["outcome"] = {}): RecordedWrite => ({
  verb: "patch",
  cluster: "default/c1",
  kind: Node,
  key: { namespace: "", name },
  fieldManager: "capstan-machinepool-nodes",
  outcome,
});
const recordOf = (...writes: readonly RecordedWrite[]): AttemptRecord => ({
  runId: "r1",
  startedAt: new Date(0),
  durationMs: 12,
  reads: [],
  writes,
  accepted: true,
});
const endedAt = new Date("2026-01-01T12:00:00Z");
const OK: Outcome = { type: "ok", requested: true, fences: [] };

describe("what a run leaves for people", () => {
  it("is why it ran, what the servers accepted of it, and what it waits for", () => {
    const record = recordOf(STATUS, nodeWrite("n1", { error: new Error("refused") }));
    expect(runEntryOf(LEASE, { ...OK, waitingFor: "Cluster.spec.paused", record }, endedAt)).toEqual({
      runId: "r1",
      endedAt: "2026-01-01T12:00:00.000Z",
      durationMs: 12,
      causes: [{ what: "Cluster default/c1", resourceVersion: "7" }],
      outcome: "ok",
      writes: [
        {
          verb: "apply",
          cluster: "management",
          what: "MachinePool default/p1",
          subresource: "status",
          resourceVersion: "8",
          changes: [{ path: "status.phase", value: "Running" }],
        },
      ],
      waitingFor: "Cluster.spec.paused",
    });
  });

  it("names what a run that wrote or failed has read, with versions and never with content", () => {
    const at = (name: string, resourceVersion: string) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, uid: "u", resourceVersion },
      data: { key: "secret" },
    });
    const key = { namespace: "default", name: "p1" };
    const reads: AttemptRecord["reads"] = [
      {
        question: { call: "get", cluster: "management", kind: MachinePool, key },
        source: "snapshot",
        answer: { type: "object", object: at("p1", "7") },
      },
      {
        question: { call: "live.list", cluster: "default/c1", kind: Node, selection: {} },
        source: "live",
        answer: { type: "list", items: [at("n1", "9"), at("n2", "10")] },
      },
      {
        question: { call: "get", cluster: "management", kind: MachinePool, key },
        source: "snapshot",
        answer: { type: "object", object: undefined },
      },
    ];
    const written = runEntryOf(LEASE, { ...OK, record: { ...recordOf(STATUS), reads } }, endedAt);
    expect(written.read).toEqual([
      { what: "MachinePool default/p1", resourceVersion: "7" },
      { what: "Node", cluster: "default/c1", resourceVersion: "10", items: 2, live: true },
      { what: "MachinePool default/p1" },
    ]);
    const many = Array.from({ length: 5 }, () => reads).flat();
    expect(runEntryOf(LEASE, { ...OK, record: { ...recordOf(STATUS), reads: many } }, endedAt).moreRead).toBe(
      3,
    );
    expect(runEntryOf(LEASE, { ...OK, record: { ...recordOf(), reads } }, endedAt)).not.toHaveProperty(
      "read",
    );
  });

  it("stays small: at most eight requests, twelve fields, and the beginning of a message", () => {
    const record = recordOf(...Array.from({ length: 20 }, (_, index) => nodeWrite(`n${index}`)));
    expect(runEntryOf(LEASE, { ...OK, record }, endedAt)).toMatchObject({ moreWrites: 12 });
    const labels = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`l${index}`, "x"]));
    const labelled = { ...STATUS, body: { metadata: { labels } } };
    const [write] = runEntryOf(LEASE, { ...OK, record: recordOf(labelled) }, endedAt).writes;
    expect(write?.changes).toHaveLength(12);
    expect(write?.moreChanges).toBe(3);
    const failure = { class: "Transient", reason: "NoAnswer", message: "x".repeat(5_000) } as const;
    const failed = runEntryOf(LEASE, { type: "error", failure, terminal: false, requested: false }, endedAt);
    expect(failed).toMatchObject({ outcome: "error", writes: [], failure: { reason: "NoAnswer" } });
    expect(failed.failure?.message).toHaveLength(300);
  });

  it("has no span of an event, which comes from outside", () => {
    const lease = { ...LEASE, causes: [{ what: "timer", traceparent: "<script>" }] };
    expect(runEntryOf(lease, OK, endedAt).causes).toEqual([{ what: "timer" }]);
  });

  it("names requests as people do, also those that were sent", () => {
    expect(titleOfWrite(STATUS)).toBe("apply MachinePool/status default/p1");
    expect(titleOfWrite(nodeWrite("n1"))).toBe("patch Node n1 in default/c1");
    const [written] = runEntryOf(LEASE, { ...OK, record: recordOf(STATUS) }, endedAt).writes;
    expect(written && titleOfWrite(written)).toBe("apply MachinePool/status default/p1");
  });
});
