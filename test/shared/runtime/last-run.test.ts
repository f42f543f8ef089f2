import { describe, expect, it } from "vitest";
import { Node } from "../../../shared/api/core.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import type { AttemptRecord, RecordedWrite } from "../../../shared/runtime/attempt-record.ts";
import { lastRunOf, titleOf } from "../../../shared/runtime/last-run.ts";
import type { Lease, Outcome } from "../../../shared/runtime/queue-port.ts";

const LEASE: Lease = {
  key: "default/c1|MachinePool|default/p1",
  runId: "r1",
  causes: [{ what: "Cluster default/c1", resourceVersion: "7" }],
  failures: 0,
  again: 0,
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

describe("F-15: what a run leaves for explain", () => {
  it("is why it ran, what the servers accepted of it, and what it waits for", () => {
    const record = recordOf(STATUS, nodeWrite("n1", { error: new Error("refused") }));
    expect(lastRunOf(LEASE, { ...OK, waitingFor: "Cluster.spec.paused", record }, endedAt)).toEqual({
      runId: "r1",
      endedAt: "2026-01-01T12:00:00.000Z",
      durationMs: 12,
      causes: LEASE.causes,
      outcome: "ok",
      wrote: ["apply MachinePool/status default/p1"],
      waitingFor: "Cluster.spec.paused",
    });
  });

  it("stays small: at most eight requests, and the beginning of a message", () => {
    const record = recordOf(...Array.from({ length: 20 }, (_, index) => nodeWrite(`n${index}`)));
    const { wrote } = lastRunOf(LEASE, { ...OK, record }, endedAt);
    expect(wrote).toHaveLength(9);
    expect(wrote.at(-1)).toBe("and 12 more");
    const failure = { class: "Transient", reason: "NoAnswer", message: "x".repeat(5_000) } as const;
    const failed = lastRunOf(LEASE, { type: "error", failure, terminal: false, requested: false }, endedAt);
    expect(failed).toMatchObject({ outcome: "error", wrote: [], failure: { reason: "NoAnswer" } });
    expect(failed.failure?.message).toHaveLength(300);
  });

  it("names objects as people do", () => {
    expect(titleOf(STATUS)).toBe("apply MachinePool/status default/p1");
    expect(titleOf(nodeWrite("n1"))).toBe("patch Node n1 in default/c1");
  });
});
