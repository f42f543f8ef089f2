import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../infra/queue/backends/embedded/store.ts";
import type { LeaseTiming } from "../../infra/queue/run-lease.ts";
import { MANAGEMENT } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { DEFAULT_QUEUE, MINUTE } from "../../shared/function/backoff.ts";
import { defineFunction } from "../../shared/function/define-function.ts";
import { done } from "../../shared/function/result.ts";
import type { Failure, Fence, Lease, Outcome } from "../../shared/runtime/queue/queue-port.ts";
import { runStep } from "../../shared/runtime/run-step.ts";
import { recordingClients } from "../support/recording-clients.ts";
import { silentLog } from "../support/silent-log.ts";
import { queueFairnessSuite } from "./queue-fairness.ts";
import { queueLoadSuite } from "./queue-load.ts";
import { queuePeopleSuite } from "./queue-people.ts";
import { type CreateQueue, HOUR, live, OK, openWorld, resync, type World } from "./queue-world.ts";

export interface QueueSuite {
  readonly name: string;
  readonly create: CreateQueue;
  /** Tests at the same time, where time is real. */
  readonly concurrent: boolean;
}

const BROKEN: Failure = { class: "Transient", reason: "Broken", message: "the server said no" };
const ERROR: Outcome & { readonly type: "error" } = {
  type: "error",
  failure: BROKEN,
  terminal: false,
  requested: false,
  fences: [],
};
const TERMINAL: Outcome = { ...ERROR, terminal: true };
const FENCE: Fence = {
  cluster: "management",
  group: "cluster.x-k8s.io",
  kind: "MachinePool",
  namespace: "default",
  name: "a",
  resourceVersion: "7",
};
/** Stands for a minute where time is real: far longer than a claim takes, far shorter than a lease lasts. */
const MINUTE_IN_TESTS = 100;
/** A slow lane in which no test waits for long, and each has the time to look at a key between two attempts. */
const SLOW = { slowMinMs: 500, slowMaxMs: 700 };
/** A lease that is not renewed in time, long enough to do something in it. */
const SHORT_LEASE = { leaseMs: 700, renewMs: HOUR };

const A = "default/-|MachinePool|default/a";
const B = "default/-|MachinePool|default/b";
const C = "default/-|MachinePool|default/c";

/** The rules that every driver of the queue must keep; the numbers are those of infra/queue/README.md. */
export function queueSuite({ name, create, concurrent }: QueueSuite): void {
  const open = (timing: Partial<LeaseTiming> = {}): Promise<World> => openWorld(create, { timing });

  describe(`${name} queue`, { concurrent }, () => {
    it("Q-01: any number of events on a waiting or ready key is one run", async () => {
      await using world = await open();
      await world.enqueue(live(A), live(A), live(A));
      await world.enqueue(live(B, HOUR), live(B, HOUR));
      await world.enqueue(live(A), live(B, HOUR));
      expect(await world.depth()).toMatchObject({ ready: 1, waiting: 1 });
      const runs = await world.work();
      await world.idle();
      expect(runs.keys).toEqual([A]);
    });

    it("Q-01: a run knows the newest ten distinct causes since the last claim", async () => {
      await using world = await open();
      for (let n = 0; n < 12; n += 1)
        await world.enqueue({ ...live(A), cause: { what: `Machine default/m${n}` } });
      await world.enqueue({ ...live(A), cause: { what: "Machine default/m5" } });
      const runs = await world.work(async () => ({ ...OK, afterMs: runs.count === 1 ? 0 : undefined }));
      await world.until(() => runs.count === 2);
      const numbers = [5, 11, 10, 9, 8, 7, 6, 4, 3, 2];
      expect(runs.leases[0]?.causes).toEqual(numbers.map((n) => ({ what: `Machine default/m${n}` })));
      expect(runs.leases[1]?.causes).toEqual([]);
    });

    it("a cause keeps its version and its trace", async () => {
      await using world = await open();
      const what = "Machine default/m1";
      const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
      const causes = [{ what, traceparent }, { what, resourceVersion: "7", traceparent }, { what: "timer" }];
      for (const cause of causes.toReversed()) await world.enqueue({ ...live(A), cause });
      const runs = await world.work();
      await world.idle();
      expect(runs.leases[0]?.causes).toEqual(causes);
    });

    it("Q-02: no key is run twice at the same time by any workers", async () => {
      await using world = await open();
      const running = new Set<string>();
      let overlaps = 0;
      const run = async ({ key }: Lease): Promise<Outcome> => {
        if (running.has(key)) overlaps += 1;
        running.add(key);
        await world.pass(5);
        running.delete(key);
        return OK;
      };
      const runs = await world.work(run);
      const others = await world.work(run, {}, world.other);
      for (let round = 0; round < 10; round += 1) {
        await world.enqueue(live(A), live(B), live(C));
        await world.pass(3);
      }
      await world.idle();
      expect(overlaps).toBe(0);
      expect(new Set([...runs.keys, ...others.keys])).toEqual(new Set([A, B, C]));
    });

    it("Q-02: a run that has lost its lease is aborted and its end changes nothing", async () => {
      await using world = await open(SHORT_LEASE);
      const late = Promise.withResolvers<Outcome>();
      const runs = await world.work(({ signal }) => {
        if (runs.count > 1) return Promise.resolve<Outcome>({ ...OK, afterMs: HOUR });
        signal.addEventListener("abort", () => late.resolve(OK));
        return late.promise;
      });
      await world.enqueue(live(A));
      await world.until(() => runs.count === 2);
      await late.promise;
      expect(runs.leases[0]?.signal.aborted).toBe(true);
      await world.holds(async () => (await world.depth()).waiting === 1, 50);
    });

    it("Q-03: events during a run are exactly one more run, however it ends", async () => {
      await using world = await open();
      for (const [key, outcome] of [
        [A, OK],
        [B, ERROR],
        [C, { ...OK, afterMs: HOUR }],
      ] as const) {
        const first = Promise.withResolvers<Outcome>();
        const runs = await world.work(() => (runs.count === 1 ? first.promise : Promise.resolve(OK)));
        await world.enqueue(live(key));
        await world.until(() => runs.count === 1);
        for (let n = 0; n < 20; n += 1) await world.enqueue(live(key));
        first.resolve(outcome);
        await world.idle();
        expect(runs.keys).toEqual([key, key]);
        await runs.end();
      }
    });

    it("Q-04: every accepted event is followed by a run", async () => {
      await using world = await open();
      const keys = Array.from({ length: 30 }, (_, n) => `default/-|Machine|default/m${n}`);
      const version = new Map<string, number>();
      const seen = new Map<string, number | undefined>();
      await world.work(async ({ key }) => {
        seen.set(key, version.get(key));
        await world.pass(1);
        return OK;
      });
      for (let round = 0; round < 5; round += 1) {
        for (const key of keys) version.set(key, round);
        await world.enqueue(...keys.map((key) => live(key)));
      }
      await world.idle();
      expect([...seen.values()]).toEqual(keys.map(() => 4));
    });

    it("Q-05: an event overrides a requeueAfter and a backoff", async () => {
      await using world = await open();
      const runs = await world.work(async () => (runs.count === 1 ? { ...OK, afterMs: HOUR } : OK));
      await world.enqueue(live(A));
      await world.until(async () => (await world.depth()).waiting === 1);
      await world.enqueue(live(A));
      await world.idle();
      expect(runs.count).toBe(2);
    });

    it("Q-05: of several delays the earliest wins", async () => {
      await using world = await open();
      await world.enqueue(live(A, 2 * HOUR));
      await world.enqueue(live(A, HOUR));
      await world.enqueue(live(A, 3 * HOUR));
      const { nextDueMs = 0 } = await world.depth();
      expect(nextDueMs).toBeLessThanOrEqual(HOUR);
      expect(nextDueMs).toBeGreaterThan(HOUR - MINUTE);
    });

    it("Q-05, Q-11: live goes before resync, and a live event upgrades a resync key", async () => {
      await using world = await open();
      await world.enqueue(resync(A), resync(B));
      await world.enqueue(live(C));
      await world.enqueue(live(B));
      const runs = await world.work(undefined, { concurrency: 1 });
      await world.idle();
      expect(runs.keys).toEqual([C, B, A]);
    });

    it("Q-05: what only a resync wants again stands behind live work", async () => {
      await using world = await open();
      const ends = [Promise.withResolvers<Outcome>(), Promise.withResolvers<Outcome>()];
      const runs = await world.work(() => ends[runs.count - 1]?.promise ?? Promise.resolve(OK), {
        concurrency: 1,
      });
      await world.enqueue(live(A));
      await world.until(() => runs.count === 1);
      await world.enqueue(live(B), resync(A));
      ends[0]?.resolve(OK);
      await world.until(() => runs.count === 2);
      await world.until(async () => (await world.depth()).ready === 1);
      await world.enqueue(live(C));
      ends[1]?.resolve(OK);
      await world.idle();
      expect(runs.keys).toEqual([A, B, C, A]);
    });

    it("Q-06: after a run that sent a request the key is held off, also from events", async () => {
      await using world = await open();
      const runs = await world.work(async () => ({ ...OK, requested: true }), { minIntervalMs: HOUR });
      await world.enqueue(live(A));
      await world.until(() => runs.count === 1);
      await world.idle();
      await world.enqueue(live(A));
      const { waiting, nextDueMs = 0 } = await world.depth();
      expect(waiting).toBe(1);
      expect(nextDueMs).toBeGreaterThan(HOUR - MINUTE);
      await world.holds(() => runs.count === 1, 50);
    });

    it("Q-06: a run that only waits holds nothing off", async () => {
      await using world = await open();
      const runs = await world.work(undefined, { minIntervalMs: HOUR });
      for (const expected of [1, 2]) {
        await world.enqueue(live(A));
        await world.until(() => runs.count === expected);
        await world.idle();
      }
    });

    it("Q-06: the floor ends and the key runs", async () => {
      await using world = await open();
      const runs = await world.work(async () => ({ ...OK, requested: true }), { minIntervalMs: 300 });
      await world.enqueue(live(A));
      await world.until(() => runs.count === 1);
      await world.enqueue(live(A));
      await world.until(() => runs.count === 2);
    });

    it("Q-06: a run may raise the floor of the next one", async () => {
      await using world = await open();
      const runs = await world.work(async () => ({ ...OK, notBeforeMs: HOUR, afterMs: 0 }));
      await world.enqueue(live(A));
      await world.until(() => runs.count === 1);
      await world.until(async () => (await world.depth()).waiting === 1);
      await world.enqueue(live(A));
      await world.holds(() => runs.count === 1, 50);
    });

    it("Q-07: requeueAfter brings the key back and forgives failures", async () => {
      await using world = await open();
      const runs = await world.work(async () => {
        if (runs.count === 1) return ERROR;
        return runs.count === 2 ? { ...OK, afterMs: 20 } : OK;
      });
      await world.enqueue(live(A));
      await world.idle();
      expect(runs.leases.map(({ failures }) => failures)).toEqual([0, 1, 0]);
    });

    it("Q-08: a failed key comes back by itself, with its failures counted across events", async () => {
      await using world = await open();
      const runs = await world.work(async () => (runs.count <= 3 ? ERROR : OK));
      await world.enqueue(live(A));
      await world.until(() => runs.count === 1);
      await world.enqueue(live(A));
      await world.idle();
      expect(runs.leases.map(({ failures }) => failures)).toEqual([0, 1, 2, 3]);
    });

    it("Q-08: the backoff is never shorter than the least interval", async () => {
      await using world = await open();
      await world.work(async () => ERROR, { minIntervalMs: HOUR });
      await world.enqueue(live(A));
      await world.until(async () => (await world.depth()).waiting === 1);
      expect((await world.depth()).nextDueMs).toBeGreaterThan(HOUR - MINUTE);
    });

    it("Q-09: a key dies of its last attempt and keeps its last failure", async () => {
      await using world = await open();
      const runs = await world.work(async () => ERROR, { attempts: 3 });
      await world.enqueue(live(A));
      await world.until(async () => (await world.depth()).dead === 1);
      expect(runs.count).toBe(3);
      expect(await world.dead()).toMatchObject([{ key: A, failures: 3, failure: BROKEN }]);
      await world.holds(() => runs.count === 3, 50);
    });

    it("Q-09: a terminal error is death at once", async () => {
      await using world = await open();
      const runs = await world.work(async () => TERMINAL);
      await world.enqueue(live(A));
      await world.until(async () => (await world.depth()).dead === 1);
      expect(runs.count).toBe(1);
      expect(await world.dead()).toMatchObject([{ key: A, failures: 1 }]);
    });

    it("Q-09: an event that waits at the moment of death gives one more attempt", async () => {
      await using world = await open();
      const first = Promise.withResolvers<Outcome>();
      const runs = await world.work(() => (runs.count === 1 ? first.promise : Promise.resolve(ERROR)), {
        attempts: 5,
      });
      await world.enqueue(live(A));
      await world.until(() => runs.count === 1);
      await world.enqueue(live(A));
      first.resolve(TERMINAL);
      await world.until(async () => (await world.depth()).dead === 1);
      expect(runs.leases.map(({ failures }) => failures)).toEqual([0, 4]);
    });

    it("Q-10: a live event revives a dead key with all its attempts", async () => {
      await using world = await open();
      const runs = await world.work(async () => ERROR, { attempts: 2 });
      await world.enqueue(live(A));
      await world.until(async () => (await world.depth()).dead === 1);
      await world.enqueue(live(A));
      await world.until(async () => runs.count === 4 && (await world.depth()).dead === 1);
      expect(runs.leases.map(({ failures }) => failures)).toEqual([0, 1, 0, 1]);
    });

    it("Q-10: a dead key is tried again in the slow lane; until it succeeds its death stays the same", async () => {
      await using world = await openWorld(create, { limits: SLOW });
      const runs = await world.work(async () => (runs.count < 4 ? ERROR : OK), { attempts: 2 });
      await world.enqueue(live(A));
      await world.until(async () => (await world.depth()).dead === 1);
      const { until } = (await world.queue.keyState(world.functionName, A)) ?? {};
      const [before] = await world.dead();
      expect(until?.getTime()).toBeGreaterThan(before?.since.getTime() ?? Number.POSITIVE_INFINITY);
      await world.until(async () => runs.count === 3 && (await world.depth()).dead === 1);
      expect(await world.dead()).toEqual([{ ...before, failures: 3 }]);
      await world.until(() => runs.count === 4);
      await world.idle();
      expect(runs.leases.map(({ failures }) => failures)).toEqual([0, 1, 2, 3]);
      expect(await world.depth()).toMatchObject({ ready: 0, waiting: 0, running: 0, dead: 0 });
    });

    it("Q-10: no class of failure is final, nor a worker that is killed", async () => {
      await using world = await openWorld(create, { timing: SHORT_LEASE, limits: SLOW });
      const runs = await world.work(
        ({ key }) => {
          const isTriedAgain = runs.keys.filter((each) => each === key).length > 1;
          if (isTriedAgain) return Promise.resolve(OK);
          return key === A ? Promise.resolve(TERMINAL) : new Promise(() => undefined);
        },
        { attempts: 1 },
      );
      await world.enqueue(live(A), live(B));
      await world.until(() => runs.count === 4);
      await world.idle();
      expect(await world.depth()).toMatchObject({ ready: 0, waiting: 0, running: 0, dead: 0 });
    });

    it("Q-10: a key that is malformed is final: no run can ever succeed with it", async () => {
      await using world = await openWorld(create, { limits: SLOW });
      const failure = { ...BROKEN, class: "Terminal", reason: "MalformedKey" } as const;
      const runs = await world.work(async () => ({ ...ERROR, failure, terminal: true }));
      await world.enqueue(live(A));
      await world.until(() => runs.count === 1);
      await world.idle();
      await world.holds(() => runs.count === 1, 3 * SLOW.slowMaxMs);
      expect(await world.depth()).toMatchObject({ ready: 0, waiting: 0, running: 0, dead: 0 });
    });

    it("Q-10: of the dead keys of a function at most two are tried at a time, and they hold up no other", async () => {
      await using world = await openWorld(create, { limits: { ...SLOW, slowPerSecond: 1_000 } });
      const keys = Array.from({ length: 9 }, (_, n) => `default/c${n}|Machine|default/m${n}`);
      const dying = await world.work(async () => TERMINAL);
      await world.enqueue(...keys.map((key) => live(key)));
      await world.until(() => new Set(dying.keys).size === keys.length);
      await dying.end();
      const ends: (() => void)[] = [];
      const runs = await world.work(async ({ key }) => {
        if (key !== A) await new Promise<void>((resolve) => ends.push(resolve));
        return OK;
      });
      await world.until(() => ends.length === 2);
      await world.enqueue(live(A));
      await world.until(() => runs.count === 3);
      await world.holds(() => runs.count === 3, 2 * SLOW.slowMaxMs);
      for (const [index] of keys.entries()) {
        await world.until(() => ends.length > index);
        ends[index]?.();
      }
      await world.idle();
      expect(runs.count).toBe(1 + keys.length);
      expect(new Set(runs.keys)).toEqual(new Set([A, ...keys]));
      expect((await world.depth()).dead).toBe(0);
    });

    it("Q-10: a resync adds no attempt to a dead key, and a live event behind it revives it all the same", async () => {
      await using world = await open();
      const first = await world.work(async () => TERMINAL);
      await world.enqueue(live(A));
      await world.until(async () => (await world.depth()).dead === 1);
      await world.enqueue(resync(A));
      await world.holds(() => first.count === 1, 50);
      await first.end();
      await world.enqueue(resync(A), live(A));
      const runs = await world.work();
      await world.idle();
      expect(runs.leases.map(({ failures }) => failures)).toEqual([0]);
    });

    it("Q-10: a live event during an attempt in the slow lane revives the key, and a resync does not", async () => {
      await using world = await openWorld(create, { limits: SLOW });
      const second = Promise.withResolvers<Outcome>();
      const third = Promise.withResolvers<Outcome>();
      const outcomes = [Promise.resolve(TERMINAL), second.promise, third.promise];
      const runs = await world.work(() => outcomes[runs.count - 1] ?? Promise.resolve(OK), { attempts: 5 });
      await world.enqueue(live(A));
      await world.until(() => runs.count === 2);
      await world.enqueue(resync(A));
      second.resolve(ERROR);
      await world.until(() => runs.count === 3);
      await world.enqueue(resync(A), live(A));
      third.resolve(ERROR);
      await world.idle();
      expect(runs.leases.map(({ failures }) => failures)).toEqual([0, 1, 2, 0]);
    });

    it("Q-10: an attempt in the slow lane that succeeds ends the death; the next one is another", async () => {
      await using world = await openWorld(create, { limits: SLOW });
      const outcomes: readonly Outcome[] = [TERMINAL, { ...OK, afterMs: 20 }, TERMINAL];
      const runs = await world.work(async () => outcomes[runs.count - 1] ?? OK);
      await world.enqueue(live(A));
      await world.until(async () => (await world.depth()).dead === 1);
      const [first] = await world.dead();
      const isAnother = async () => {
        const [second] = await world.dead();
        return second?.failures === 1 && second.since > (first?.since ?? 0);
      };
      await world.until(async () => runs.count >= 3 && (runs.count > 3 || (await isAnother())));
      expect(runs.leases.slice(0, 3).map(({ failures }) => failures)).toEqual([0, 1, 0]);
    });

    it("Q-13: a lost lease is a failure and may be the last one", async () => {
      await using world = await open(SHORT_LEASE);
      const runs = await world.work(() => new Promise(() => undefined), { attempts: 2 });
      await world.enqueue(live(A));
      await world.until(async () => (await world.depth()).dead === 1);
      expect(runs.leases.map(({ failures }) => failures)).toEqual([0, 1]);
      expect(await world.dead()).toMatchObject([
        { key: A, failures: 2, failure: { reason: "LeaseExpired" } },
      ]);
    });

    it("Q-13: a lease that is renewed is kept", async () => {
      // Long enough for a machine that gives this process no time for two seconds.
      await using world = await open({ leaseMs: 3_000, renewMs: 300 });
      const end = Promise.withResolvers<Outcome>();
      const runs = await world.work(() => end.promise);
      await world.enqueue(live(A));
      await world.holds(() => runs.count <= 1, 4_500);
      end.resolve(OK);
      await world.idle();
      expect(runs.leases[0]?.signal.aborted).toBe(false);
    });

    it("Q-13: a run that held up its process beyond its lease has lost it, whatever it gives", async () => {
      await using world = await open(SHORT_LEASE);
      const runs = await world.work(async () => {
        if (runs.count === 1) world.standStill(SHORT_LEASE.leaseMs + 100);
        return OK;
      });
      await world.enqueue(live(A));
      await world.until(() => runs.count === 2);
      expect(runs.leases[0]?.signal.aborted).toBe(true);
      expect(runs.leases.map(({ failures }) => failures)).toEqual([0, 1]);
      await world.idle();
    });

    it("counts a run as failed when something that it has started throws", async () => {
      await using world = await open();
      const runs = await world.work(
        (lease) => {
          lease.fail?.(new TypeError("thrown by a timer"));
          return new Promise(() => undefined);
        },
        { attempts: 1 },
      );
      await world.enqueue(live(A));
      await world.until(async () => (await world.depth()).dead === 1);
      expect(await world.dead()).toMatchObject([
        { failure: { reason: "TypeError", message: "thrown by a timer" } },
      ]);
      expect(runs.leases[0]?.signal.aborted).toBe(true);
    });

    it("Q-14: a worker that stops lets its runs finish and claims nothing more", async () => {
      await using world = await open();
      const end = Promise.withResolvers<Outcome>();
      const runs = await world.work(() => end.promise, { concurrency: 1 });
      await world.enqueue(live(A), live(B));
      await world.until(() => runs.count === 1);
      const ended = runs.end();
      await world.pass(20);
      end.resolve(OK);
      await world.whileTimePasses(ended);
      expect(runs.leases[0]?.signal.aborted).toBe(false);
      expect(await world.depth()).toMatchObject({ ready: 1, waiting: 0, running: 0, dead: 0 });
      const successor = await world.work();
      await world.idle();
      expect(runs.count + successor.count).toBe(2);
    });

    it("Q-14: what does not finish in time is given back uncounted", async () => {
      await using world = await open({ drainMs: 50 });
      const runs = await world.work(() => new Promise(() => undefined));
      await world.enqueue(live(A));
      await world.until(() => runs.count === 1);
      await world.whileTimePasses(runs.end());
      expect(runs.leases[0]?.signal.aborted).toBe(true);
      expect(await world.depth()).toMatchObject({ ready: 1, waiting: 0, running: 0, dead: 0 });
      const successor = await world.work();
      await world.idle();
      expect(successor.leases.map(({ failures }) => failures)).toEqual([0]);
    });

    it("Q-15: the epoch stays while the data is there", async () => {
      await using world = await open();
      const epoch = await world.queue.epoch(world.functionName);
      expect(epoch).not.toBe("");
      await world.enqueue(live(A, HOUR));
      expect(await world.other.epoch(world.functionName)).toBe(epoch);
      expect(await world.queue.epoch(`${world.functionName}-2`)).not.toBe(epoch);
    });

    it("Q-16: a run that takes too long is aborted and counts as failed", async () => {
      await using world = await open({ runTimeoutMs: 50 });
      const runs = await world.work(() => new Promise(() => undefined), { attempts: 1 });
      await world.enqueue(live(A));
      await world.until(async () => (await world.depth()).dead === 1);
      expect(runs.leases[0]?.signal.aborted).toBe(true);
      expect(await world.dead()).toMatchObject([{ failures: 1, failure: { reason: "RunTimeout" } }]);
    });

    it("Q-17: fences reach the next run, also of a key that was idle meanwhile", async () => {
      await using world = await open();
      const runs = await world.work(async () => ({ ...OK, fences: runs.count === 1 ? [FENCE] : [] }));
      for (const expected of [1, 2, 3]) {
        await world.enqueue(live(A));
        await world.until(() => runs.count === expected);
        await world.idle();
      }
      expect(runs.leases.map(({ fences }) => fences)).toEqual([[], [FENCE], []]);
    });

    it("Q-17: again comes back without touching failures or floor and is counted in a row", async () => {
      await using world = await open();
      const newer = { ...FENCE, resourceVersion: "9", newerThan: true };
      const outcomes: Outcome[] = [
        { ...ERROR, fences: [FENCE] },
        { type: "retry", afterMs: 10, fences: [FENCE, newer] },
        { type: "retry", afterMs: 10, fences: [newer] },
        ERROR,
        OK,
      ];
      const runs = await world.work(async () => outcomes[runs.count - 1] ?? OK);
      await world.enqueue(live(A));
      await world.idle();
      expect(runs.leases.map(({ failures, retries: again }) => [failures, again])).toEqual([
        [0, 0],
        [1, 0],
        [1, 1],
        [1, 2],
        [2, 0],
      ]);
      expect(runs.leases.map(({ fences }) => fences)).toEqual([[], [FENCE], [FENCE, newer], [newer], []]);
    });

    it("Q-45: the event of a run's own write adds no run, whenever it comes; any other does", async () => {
      await using world = await open();
      const write = { what: "MachinePool default/a", resourceVersion: "7" };
      const later = { what: "MachinePool default/a", resourceVersion: "8" };
      const fences = [{ ...FENCE, echo: "MachinePool default/a@7" }];
      const ending = Promise.withResolvers<void>();
      const runs = await world.work(async () => {
        if (runs.count === 2) await ending.promise;
        return { ...OK, fences };
      });
      await world.enqueue({ ...live(A), cause: { what: "Cluster default/c", resourceVersion: "7" } });
      await world.idle();
      await world.enqueue({ ...live(A), cause: write });
      await world.holds(() => runs.count === 1, 50);
      await world.enqueue({ ...live(A), cause: later });
      await world.until(() => runs.count === 2);
      await world.enqueue({ ...live(A), cause: write }, { ...live(A), cause: later });
      ending.resolve();
      await world.until(() => runs.count === 3);
      await world.idle();
      expect(runs.leases.map(({ causes }) => causes.length)).toEqual([1, 1, 2]);
    });

    it("Q-45: events of a run's own writes that come during it are over with it, and leave its wish", async () => {
      await using world = await open();
      const started = Promise.withResolvers<void>();
      const ending = Promise.withResolvers<void>();
      const runs = await world.work(async () => {
        started.resolve();
        await ending.promise;
        return { ...OK, afterMs: HOUR, fences: [{ ...FENCE, echo: "MachinePool default/a@7" }] };
      });
      await world.enqueue(live(A));
      await started.promise;
      const cause = { what: "MachinePool default/a", resourceVersion: "7" };
      await world.enqueue(
        { ...live(A), cause },
        { ...live(A), cause: { ...cause, traceparent: "00-a-b-01" } },
      );
      ending.resolve();
      await world.until(async () => (await world.depth()).waiting === 1);
      await world.enqueue({ ...live(A), cause });
      await world.holds(() => runs.count === 1, 50);
      expect(await world.depth()).toMatchObject({ waiting: 1, ready: 0, running: 0 });
    });

    it("Q-18: functions do not see each other's keys, failures or dead", async () => {
      await using world = await open();
      const runs = await world.work(async () => TERMINAL);
      const other = `${world.functionName}-other`;
      await world.queue.enqueue(other, [live(A)]);
      await world.enqueue(live(A));
      await world.until(async () => (await world.depth()).dead === 1);
      expect(runs.keys).toEqual([A]);
      expect(await world.queue.dead(other)).toEqual([]);
      expect(await world.queue.depth(other)).toMatchObject({ ready: 1, dead: 0 });
    });

    it("Q-19: a key that settles runs at its due, and later events do not put it off", async () => {
      await using world = await open();
      const runs = await world.work();
      await world.enqueue(live(A, 60));
      await world.pass(20);
      await world.enqueue(live(A, 1_000));
      await world.until(() => runs.count === 1);
      await world.holds(() => runs.count === 1, 50);
    });

    it("Q-20: waiting is success: the key is idle until an event", async () => {
      await using world = await open();
      const runs = await world.work(async () => ({
        ...OK,
        waitingFor: "Cluster.status.controlPlaneEndpoint",
      }));
      await world.enqueue(live(A));
      await world.until(() => runs.count === 1);
      await world.idle();
      expect(await world.depth()).toMatchObject({ ready: 0, waiting: 0, running: 0, dead: 0 });
      await world.enqueue(live(A));
      await world.until(() => runs.count === 2);
    });

    it("shows the state of a key, why it will run and its last failure", async () => {
      await using world = await open();
      const stateOf = (key: string) => world.queue.keyState(world.functionName, key);
      expect(await stateOf(A)).toBeUndefined();
      await world.enqueue({ ...live(A, HOUR), cause: { what: "Machine default/m1", resourceVersion: "7" } });
      await world.enqueue(live(B));
      expect(await stateOf(A)).toMatchObject({
        state: "waiting",
        until: expect.any(Date),
        causes: [{ what: "Machine default/m1", resourceVersion: "7" }],
        failures: 0,
      });
      expect(await stateOf(B)).toMatchObject({ state: "ready", since: expect.any(Date), causes: [] });

      const ending = Promise.withResolvers<Outcome>();
      const runs = await world.work(({ key }) => (key === C ? ending.promise : Promise.resolve(ERROR)));
      await world.enqueue(live(C));
      await world.until(() => runs.count === 2);
      expect(await stateOf(C)).toMatchObject({ state: "running", owner: expect.stringMatching(/^w\//) });
      await world.until(async () => ((await stateOf(B))?.failures ?? 0) > 0);
      expect(await stateOf(B)).toMatchObject({ failure: BROKEN });
      ending.resolve(TERMINAL);
      await world.until(async () => (await stateOf(C))?.state === "dead");
      expect(await stateOf(C)).toMatchObject({ since: expect.any(Date), failures: 1, failure: BROKEN });
    });

    it("Q-03: ten thousand updates of an object while its function runs are one more run", async () => {
      await using world = await open();
      const first = Promise.withResolvers<Outcome>();
      const runs = await world.work(() => (runs.count === 1 ? first.promise : Promise.resolve(OK)));
      await world.enqueue(live(A));
      await world.until(() => runs.count === 1);
      for (let n = 0; n < 20; n += 1) await world.enqueue(...Array.from({ length: 500 }, () => live(A)));
      first.resolve(OK);
      await world.idle();
      await world.holds(() => runs.count === 2, 50);
    });

    it("Q-12: no tenant runs more keys at a time than it may", async () => {
      await using world = await open();
      const running = new Map<string, number>();
      const most = new Map<string, number>();
      const run = async ({ key }: Lease): Promise<Outcome> => {
        const tenant = key.split("/")[0] ?? "";
        running.set(tenant, (running.get(tenant) ?? 0) + 1);
        most.set(tenant, Math.max(most.get(tenant) ?? 0, running.get(tenant) ?? 0));
        await world.pass(5);
        running.set(tenant, (running.get(tenant) ?? 0) - 1);
        return OK;
      };
      for (const tenant of ["a", "b"])
        await world.enqueue(...Array.from({ length: 15 }, (_, n) => live(`${tenant}/-|Machine|ns/m${n}`)));
      const runs = await world.work(run, { maxRunningPerTenant: 2 });
      await world.idle();
      expect(runs.count).toBe(30);
      expect(Math.max(...most.values())).toBeLessThanOrEqual(2);
    });

    it("Q-36: a run knows when its key was claimed, by the one clock of the ledger", async () => {
      await using world = await open();
      const runs = await world.work();
      await world.enqueue(live(A));
      await world.idle();
      await runs.end();
      await world.pass(20);
      const others = await world.work(undefined, {}, world.other);
      await world.enqueue(live(A));
      await world.idle();
      const [first, second] = [...runs.leases, ...others.leases].map(
        ({ claimedAt }) => claimedAt?.getTime() ?? 0,
      );
      expect(first).toBeGreaterThan(0);
      expect(second).toBeGreaterThan(first ?? 0);
    });

    it("Q-37: a run learns that its claim is too old, also when its process stood still", async () => {
      await using world = await open();
      const seen: (boolean | undefined)[] = [];
      const runs = await world.work(
        async ({ isFresh }) => {
          seen.push(isFresh?.());
          if (runs.count === 1) world.standStill(10 * MINUTE_IN_TESTS);
          else await world.pass(10 * MINUTE_IN_TESTS);
          seen.push(isFresh?.());
          return OK;
        },
        { freshMs: 9 * MINUTE_IN_TESTS },
      );
      await world.enqueue(live(A));
      await world.idle();
      await world.enqueue(live(A));
      await world.idle();
      expect(seen).toEqual([true, false, true, false]);
    });

    it("Q-37: a run of a function without such a limit stays fresh", async () => {
      await using world = await open();
      const runs = await world.work(async () => {
        await world.pass(10 * MINUTE_IN_TESTS);
        return OK;
      });
      await world.enqueue(live(A));
      await world.idle();
      expect(runs.leases[0]?.isFresh?.()).toBe(true);
    });

    it("Q-29: a paused function claims nothing, accepts events meanwhile, and resumes", async () => {
      await using world = await open();
      const runs = await world.work();
      await world.queue.pause(world.functionName);
      await world.enqueue(live(A), resync(B));
      expect(await world.other.depth(world.functionName)).toMatchObject({ ready: 2, paused: true });
      await world.holds(() => runs.count === 0, 400);
      await world.other.resume(world.functionName);
      await world.idle();
      expect(new Set(runs.keys)).toEqual(new Set([A, B]));
      expect((await world.depth()).paused).toBeUndefined();
    });

    it("Q-18, Q-27: a function most of whose runs fail is slowed down, and no other", async () => {
      await using world = await open();
      const runs = await world.work(async () => TERMINAL, { concurrency: 1 });
      await world.enqueue(...Array.from({ length: 40 }, (_, n) => live(`default/-|Machine|default/m${n}`)));
      await world.until(async () => (await world.depth()).breakerOpen === true);
      const before = runs.count;
      expect(before).toBeLessThan(30);
      await world.holds(() => runs.count <= before + 1, 400);
      const other = `${world.functionName}-other`;
      await world.queue.enqueue(other, [live(A)]);
      expect((await world.queue.depth(other)).breakerOpen).toBeUndefined();
    });

    it("reports how many keys of each tenant wait and since when", async () => {
      await using world = await open();
      await world.enqueue(live(A), live(B, HOUR), resync("other/c|Machine|other/m"));
      await world.pass(20);
      const { tenants, oldestReadyMs, readyResync } = await world.depth();
      expect(tenants).toEqual({
        "default/-": { ready: 1, waiting: 1, running: 0, dead: 0 },
        "other/c": { ready: 1, readyResync: 1, waiting: 0, running: 0, dead: 0 },
      });
      expect(readyResync).toBe(1);
      expect(oldestReadyMs?.live).toBeGreaterThanOrEqual(20);
      expect(oldestReadyMs?.resync).toBeGreaterThanOrEqual(20);
      expect(world.queue.healthy()).toEqual({ ok: true });
    });

    it("Q-34: counts events that add no run, what brings dead keys back, and what tries them again", async () => {
      await using world = await openWorld(create, { limits: SLOW });
      await world.enqueue(live(A), live(A, HOUR));
      await world.enqueue(resync(A));
      await world.until(() => world.counted("coalesced") === 2);
      const runs = await world.work(async () => TERMINAL);
      await world.until(() => world.counted("slow") >= 1);
      await world.until(async () => (await world.depth()).dead === 1);
      await world.enqueue(live(A));
      await world.until(() => world.counted("revivedLive") === 1);
      await runs.end();
      expect([world.counted("coalesced"), world.counted("expired"), world.counted("fenced")]).toEqual([
        2, 0, 0,
      ]);
    });

    it("Q-34: counts leases that run out", async () => {
      await using world = await open(SHORT_LEASE);
      const runs = await world.work((lease) =>
        lease.failures === 0 ? new Promise(() => undefined) : Promise.resolve(OK),
      );
      await world.enqueue(live(A));
      await world.until(() => runs.count === 2);
      await world.idle();
      expect(world.counted("expired")).toBe(1);
    });

    it("Q-10: the slow lane purges the dead key of an object that is gone", async () => {
      await using world = await openWorld(create, { limits: SLOW });
      const { functionName, clock } = world;
      const type = { cluster: MANAGEMENT, group: MachinePool.group, kind: MachinePool.kind };
      const store = createMemoryStore();
      await store.advance(type, { ready: true });
      const fn = defineFunction<MachinePool, never>(
        {
          name: functionName,
          summary: "Does.",
          source: "own",
          reconciles: MachinePool,
          watches: [],
          owns: [],
        },
        async () => ({ result: done }),
      );
      const context = { store, clients: recordingClients(), clock, log: silentLog };
      const dying = await world.work(async () => TERMINAL);
      await world.enqueue(live(A));
      await world.until(async () => (await world.depth()).dead === 1);
      await dying.end();
      const runs = await world.work((lease) => runStep(fn, lease, context));
      await world.until(() => runs.count === 1);
      await world.idle();
      expect(await world.depth()).toMatchObject({ ready: 0, waiting: 0, running: 0, dead: 0 });
      expect(await world.dead()).toEqual([]);
    });

    it("keeps to the concurrency of a worker", async () => {
      await using world = await open();
      let running = 0;
      let most = 0;
      const full = Promise.withResolvers<void>();
      await world.work(
        async () => {
          running += 1;
          most = Math.max(most, running);
          if (running === 3) full.resolve();
          await full.promise;
          await world.pass(5);
          running -= 1;
          return OK;
        },
        { concurrency: 3 },
      );
      await world.enqueue(...Array.from({ length: 12 }, (_, n) => live(`default/-|Machine|default/m${n}`)));
      await world.idle();
      expect(most).toBe(3);
    });

    it("counts a run that throws as failed", async () => {
      await using world = await open();
      await world.work(() => Promise.reject(new Error("boom")), { attempts: 1 });
      await world.enqueue(live(A));
      await world.until(async () => (await world.depth()).dead === 1);
      expect(await world.dead()).toMatchObject([{ failure: { reason: "RunnerFailed", message: "boom" } }]);
    });

    it("S-21: keeps no secret that a failure quotes, neither of an outcome nor of a run that throws", async () => {
      await using world = await open();
      const canary = "c4n4ry-s3cr3t-v4lue";
      const message = `GET https://a:${canary}@b.dev/ with Authorization: Bearer ${canary}`;
      await world.work(
        ({ key }) =>
          key === A
            ? Promise.resolve({ ...ERROR, failure: { ...BROKEN, message } })
            : Promise.reject(new Error(message)),
        { attempts: 1 },
      );
      await world.enqueue(live(A), live(B));
      await world.until(async () => (await world.depth()).dead === 2);
      const reported = JSON.stringify([
        await world.dead(),
        await world.queue.keyState(world.functionName, A),
        await world.queue.keyState(world.functionName, B),
      ]);
      expect(reported).toContain("Bearer hmac-sha256:*");
      expect(reported).not.toContain(canary);
    });

    it("refuses entries that no queue could keep, with the reason, and continues", async () => {
      await using world = await open();
      const runs = await world.work();
      const mebibyte = "m".repeat(1_048_576);
      for (const [key, reason] of [
        [`default/-|Machine|default/${mebibyte}`, "is longer than 4096 bytes"],
        ["\u{1F600}".repeat(1_025), "is longer than 4096 bytes"],
        ["default/-|Machine|default/\ud800", "half a surrogate pair"],
        ["\udc00\ud800", "half a surrogate pair"],
        ["", "is empty"],
      ] as const) {
        const error: unknown = await world
          .enqueue(live(A, HOUR), live(key))
          .catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(TypeError);
        expect(String(error)).toContain(reason);
        expect(String(error).length).toBeLessThan(500);
      }
      for (const delayMs of [Number.NaN, Number.POSITIVE_INFINITY, -1])
        await expect(world.enqueue(live(B, delayMs))).rejects.toThrow(`is ${delayMs} ms; give 0 or more`);
      expect(await world.depth()).toMatchObject({ ready: 0, waiting: 0, running: 0, dead: 0 });
      expect(world.queue.healthy()).toEqual({ ok: true });
      await world.enqueue({ ...live(A), cause: { what: `Machine default/\0\n\ud800${mebibyte}` } });
      await world.idle();
      expect(runs.keys).toEqual([A]);
    });

    it("refuses function names of any size and kind on every entry", async () => {
      await using world = await open();
      const { queue } = world;
      const names = [
        "",
        "a:b",
        "{x}",
        "a.b",
        "A",
        "a\0",
        "\ud800",
        "../a",
        "f".repeat(64),
        "f".repeat(1_048_576),
      ];
      for (const name of names) {
        for (const call of [
          () => queue.enqueue(name, [live(A)]),
          () => queue.work(name, { ...DEFAULT_QUEUE, owner: "w" }, async () => OK),
          () => queue.depth(name),
          () => queue.dead(name),
          () => queue.epoch(name),
          () => queue.pause(name),
          () => queue.resume(name),
        ]) {
          const error: unknown = await call().catch((thrown: unknown) => thrown);
          expect(String(error)).toMatch(/^TypeError: function name ".*" is not valid/s);
          expect(String(error).length).toBeLessThan(700);
        }
      }
    });

    it("takes keys with any characters as they are", async () => {
      await using world = await open();
      const hostile = [
        "{a}:l:meta",
        "a\nb\0c",
        "k:*",
        "__proto__",
        "a|b|c|d",
        "default/-|Mächine|ns/\u{1F600}",
        "x".repeat(480),
      ];
      await world.enqueue(...hostile.map((key) => live(key)));
      const runs = await world.work();
      await world.idle();
      expect(runs.keys).toHaveLength(hostile.length);
      expect(new Set(runs.keys)).toEqual(new Set(hostile));
    });

    queueFairnessSuite(create);
    queueLoadSuite(create);
    queuePeopleSuite(open);
  });
}
