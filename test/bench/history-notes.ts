import { setTimeout } from "node:timers/promises";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { systemClock } from "../../infra/platform/clock.ts";
import { createMemoryRunHistory } from "../../infra/queue/backends/embedded/history.ts";
import { type Kind, MANAGEMENT } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import type { AttemptRecord, RecordedWrite } from "../../shared/runtime/attempt-record.ts";
import { runEntryOf } from "../../shared/runtime/letters/run-entry.ts";
import type { RunHistory } from "../../shared/runtime/letters/run-history.ts";
import type { Lease, Outcome } from "../../shared/runtime/queue/queue-port.ts";
import { machinePool } from "../support/builders.ts";
import { round } from "./capstan-process.ts";

const NOTES = 20_000;
/** At a time: as many as a busy worker ends in a second. */
const BATCH = 2_500;
const KEYS = 1_000;

const POOL = machinePool({
  metadata: { uid: "u", resourceVersion: "7" },
  status: { phase: "Provisioning", replicas: 1, conditions: conditions("False") },
});
const STATUS: RecordedWrite = {
  verb: "apply",
  cluster: MANAGEMENT,
  kind: MachinePool as Kind,
  key: { namespace: "default", name: "p1" },
  subresource: "status",
  fieldManager: "capstan-machinepool-status",
  body: { status: { phase: "Running", replicas: 3, conditions: conditions("True") } },
  outcome: { resourceVersion: "8" },
};

function conditions(status: "True" | "False") {
  return ["Available", "MachinesReady", "InfrastructureReady", "Paused"].map((type, at) => {
    const own = at < 2 ? status : ("False" as const);
    return {
      type,
      status: own,
      reason: `${type}${own}`,
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
  });
}

const lease = (runId: number): Lease => ({
  key: "",
  runId: `0123456789abc${runId}`,
  causes: [{ what: "MachinePool default/p1", resourceVersion: String(runId) }],
  failures: 0,
  retries: 0,
  fences: [],
  signal: new AbortController().signal,
});
const recordOf = (writes: readonly RecordedWrite[]): AttemptRecord => ({
  runId: "r",
  startedAt: new Date(0),
  durationMs: 12,
  reads: [
    {
      question: { call: "get", cluster: MANAGEMENT, kind: MachinePool as Kind, key: STATUS.key },
      source: "snapshot",
      answer: { type: "object", object: POOL },
    },
  ],
  writes,
  accepted: true,
});
const outcomeOf = (writes: readonly RecordedWrite[]): Outcome => ({
  type: "ok",
  requested: writes.length > 0,
  fences: [],
  waitingFor: "SimMachinePool.status.ready",
  record: recordOf(writes),
});
const keyOf = (at: number): string => `default/c1|MachinePool|default/p${at % KEYS}`;

/** CPU microseconds of the note of a run that had nothing to do, and of one that changed a status, until it is stored. */
export async function costOfNotes(
  history: RunHistory,
): Promise<{ readonly idle: number; readonly writing: number }> {
  await costOf(history, outcomeOf([]));
  await costOf(history, outcomeOf([STATUS]));
  const idle = await costOf(history, outcomeOf([]));
  const writing = await costOf(history, outcomeOf([STATUS]));
  await history[Symbol.asyncDispose]();
  return { idle, writing };
}

async function costOf(history: RunHistory, outcome: Outcome): Promise<number> {
  const leases = Array.from({ length: NOTES }, (_, at) => lease(at));
  const before = process.cpuUsage();
  for (const [at, each] of leases.entries()) {
    history.note("machinepool-status", keyOf(at), runEntryOf(each, outcome, systemClock.now()));
    if (at % BATCH === BATCH - 1) await setTimeout(1_000);
  }
  const { user, system } = process.cpuUsage(before);
  return round((user + system) / NOTES, 2);
}

const BOUND_MIB = 32;
const FULL_NOTES = 400_000;

/** Memory of a history in memory that is full, over its bound. */
export async function fillMemory(): Promise<{ readonly mib: number; readonly share: number }> {
  const before = heapMiB();
  await using history = createMemoryRunHistory({ clock: systemClock, maxBytes: BOUND_MIB * 2 ** 20 });
  for (let at = 0; at < FULL_NOTES; at += 1) {
    const outcome = outcomeOf(at % 3 === 0 ? [STATUS] : []);
    const key = `default/c${at % 7_919}|MachinePool|default/p${at % 7_919}`;
    history.note("machinepool-status", key, runEntryOf(lease(at), outcome, systemClock.now()));
  }
  const mib = round(heapMiB() - before, 1);
  return { mib, share: round(mib / BOUND_MIB, 2) };
}

function heapMiB(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return getHeapStatistics().used_heap_size / 2 ** 20;
}
