import { describe, expect, it } from "vitest";
import { LEASE_TIMING, type RunTerms, runLease } from "../../../infra/queue/run-lease.ts";
import { Node } from "../../../shared/api/core.ts";
import type { AttemptRecord, RecordedWrite } from "../../../shared/runtime/attempt-record.ts";
import type { Fence, Lease } from "../../../shared/runtime/queue/queue-port.ts";
import { virtualClock } from "../../support/clock.ts";
import { NOW } from "../../support/world.ts";

const CLAIM = {
  key: "default/c1|MachinePool|default/p1",
  owner: "worker-1/0",
  failures: 0,
  retries: 0,
  causes: [],
  fences: [],
  readyMs: 0,
  claimedAtMs: NOW.getTime(),
};

/** A run that keeps its lease, and continues on demand. */
function running(terms: Partial<RunTerms> = {}, fences: readonly Fence[] = []) {
  const clock = virtualClock(NOW);
  const begun = Promise.withResolvers<Lease>();
  const done = Promise.withResolvers<void>();
  const end = runLease(
    { ...CLAIM, fences },
    {
      clock,
      timing: LEASE_TIMING,
      renew: async () => true,
      stop: new AbortController().signal,
      run: async (lease) => {
        begun.resolve(lease);
        await done.promise;
        return { type: "ok", requested: false, fences: [] };
      },
      ...terms,
    },
  );
  return { clock, end, lease: begun.promise, finish: () => done.resolve() };
}

function fence(name: string, resourceVersion: string): Fence {
  return { cluster: "default/c1", namespace: "", name, group: "", kind: "Node", resourceVersion };
}

describe("a run under its lease", () => {
  it("leaves the fences as they are, with their age, when it is cut off before a write was answered", async () => {
    const { clock, end } = running({}, [fence("untouched", "7")]);
    await clock.advance(LEASE_TIMING.runTimeoutMs);
    expect(await end).toMatchObject({ outcome: { failure: { reason: "RunTimeout" }, fences: undefined } });
  });

  it("leaves the versions of what it wrote or looked at until it was cut off, and what it began with", async () => {
    const write = (name: string, outcome: RecordedWrite["outcome"]): RecordedWrite => ({
      ...{ verb: "patch", cluster: "default/c1", kind: Node, fieldManager: "capstan-x", outcome },
      key: { namespace: "", name },
    });
    const record: AttemptRecord = {
      ...{ runId: "r1", startedAt: NOW, durationMs: 1, reads: [], accepted: true },
      writes: [
        write("written", { resourceVersion: "45" }),
        write("refused", { error: new Error("no") }),
        write("looked-at", { error: new Error("no answer"), foundVersion: "46" }),
        write("unanswered", {}),
      ],
    };
    const { clock, end, lease } = running({}, [fence("written", "43"), fence("untouched", "7")]);
    (await lease).recordFrom?.(() => record);
    await clock.advance(LEASE_TIMING.runTimeoutMs);
    expect(await end).toMatchObject({
      outcome: {
        failure: { reason: "RunTimeout" },
        fences: [fence("untouched", "7"), fence("written", "45"), fence("looked-at", "46")],
      },
    });
  });

  it("notices by the clock that its process stood still for longer than the lease, before any timer", async () => {
    const { leaseMs } = LEASE_TIMING;
    let lateMs = 0;
    const still = virtualClock(NOW);
    const clock = { ...still, now: () => new Date(still.now().getTime() + lateMs) };
    const { end, lease } = running({ clock });
    const held = await lease;
    held.checkHeld?.();
    expect(held.signal.aborted).toBe(false);
    lateMs = leaseMs - 1;
    held.checkHeld?.();
    expect(held.signal.aborted).toBe(false);
    lateMs = leaseMs;
    held.checkHeld?.();
    expect(held.signal.aborted).toBe(true);
    expect(await end).toMatchObject({ outcome: { type: "error", failure: { reason: "LeaseExpired" } } });
  });

  it("gives nothing when it returns after its lease, although no timer has reported the end", async () => {
    const { clock, end, lease, finish } = running();
    const held = await lease;
    clock.standStill(LEASE_TIMING.leaseMs);
    finish();
    expect(await end).toMatchObject({ outcome: { type: "error", failure: { reason: "LeaseExpired" } } });
    expect(held.signal.aborted).toBe(true);
  });

  it("fails when something that it has started throws, without the secrets that it quotes", async () => {
    const { end, lease } = running();
    const held = await lease;
    held.fail?.(new RangeError("password=c4n4ry"));
    expect(await end).toMatchObject({
      outcome: { type: "error", failure: { reason: "RangeError", message: "password=hmac-sha256:*" } },
    });
    expect(held.signal.aborted).toBe(true);
  });

  it("keeps it for as long as the ledger renews it", async () => {
    const { clock, lease, end, finish } = running();
    const held = await lease;
    await clock.advance(LEASE_TIMING.leaseMs + LEASE_TIMING.renewMs);
    held.checkHeld?.();
    expect(held.signal.aborted).toBe(false);
    finish();
    expect(await end).toMatchObject({ type: "finished", outcome: { type: "ok" } });
  });
});
