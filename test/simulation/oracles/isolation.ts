import { DEFAULT_QUEUE } from "../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { type Key, parseKey } from "../../../shared/runtime/queue/key.ts";
import { REAP_MS } from "../faults/stores.ts";
import type { World } from "../play/world.ts";
import { changeIn, echoesIn } from "./echoes.ts";
import type { Oracle } from "./oracle.ts";
import { functionOf } from "./sent-write.ts";

/** Q-12, F-17. */
const STARTS_PER_READY_KEY = 4;
const STARTS_BEYOND = 100;

/** Keys among each other: F-16, F-17. */
export const isolation: readonly Oracle[] = [
  {
    number: "F-16",
    title: "one cluster holds no more workers of a function than it may",
    needs: { workloads: ["W-12"], why: "no cluster has more keys than may run" },
    watch({ world, violated, evaluated }) {
      const runningOf = runningByTenant(world);
      world.ledger.onClaim((functionName, { key }) => {
        const most = mostRunning(functionOfName(world, functionName));
        const tenant = parseKey(key)?.tenant;
        if (most === undefined || tenant === undefined) return;
        const running = runningOf(functionName, tenant);
        if (running > 1) evaluated();
        if (running > most) violated(`${functionName} ${tenant} runs ${running} keys at a time`);
      });
      world.network.onLeave(({ server, request }) => {
        const fn = functionOfName(world, functionOf(request.headers));
        if (fn === undefined || server === world.management.address) return;
        if (mostRunning(fn) === undefined)
          violated(`${fn.spec.name} asks a workload server, which may hold all of its workers`);
      });
    },
  },
  {
    number: "F-16",
    title: "no key waits behind more runs of another cluster than a worker has room for",
    needs: {
      workloads: ["W-12"],
      faults: ["X-05", "X-27", "X-40"],
      why: "no key waits behind another cluster",
    },
    watch({ world, violated, evaluated }) {
      const { ledger, kernel } = world;
      const runningOf = runningByTenant(world);
      const starts = new Map<string, Start[]>();
      /** Keys that wait for an event: a retry or a relist may wait longer. */
      const live = new Map<string, string | undefined>();
      const echoes = echoesIn(ledger);
      ledger.onWipe(() => {
        starts.clear();
        live.clear();
      });
      ledger.onEnqueue((functionName, { key, priority: wanted, cause }) => {
        const [name, change] = [`${functionName} ${key}`, cause && changeIn(cause)];
        if (wanted === "live" && !live.has(name) && !echoes.has(functionName, key, change))
          live.set(name, change);
      });
      ledger.onFinish(({ functionName, claim: { key } }) => {
        const name = `${functionName} ${key}`;
        if (echoes.has(functionName, key, live.get(name))) live.delete(name);
      });
      ledger.onClaim((functionName, { key, readyMs }) => {
        const tenant = parseKey(key)?.tenant;
        if (tenant === undefined) return;
        const fn = functionOfName(world, functionName);
        const earlier = starts.get(functionName) ?? [];
        const tenants = new Set([...earlier.map((start) => start.tenant), tenant]);
        const most = mostRunning(fn) ?? Number.POSITIVE_INFINITY;
        const full = new Set([...tenants].filter((each) => runningOf(functionName, each) >= most));
        starts.set(functionName, [...earlier, { at: kernel.now, tenant, full }]);
        if (!live.delete(`${functionName} ${key}`)) return;
        // A tenant that has all it may have waits for itself.
        const passed = earlier.filter((start) => start.at > kernel.now - readyMs && !start.full.has(tenant));
        const others = Map.groupBy(passed, (start) => start.tenant);
        others.delete(tenant);
        const { concurrency = DEFAULT_QUEUE.concurrency } = fn?.spec.queue ?? {};
        for (const [other, { length }] of others) {
          evaluated();
          if (length > concurrency)
            violated(`${functionName} ${key} waits behind ${length} runs of ${other}`);
        }
      });
    },
  },
  {
    number: "F-17",
    title: "a ready key is started before 4 times as many others as were ready, and 100",
    needs: { workloads: ["W-05", "W-12", "W-13"], why: "no keys are ready at a time" },
    watch({ world: { kernel, ledger }, violated, evaluated, faultsSoFar }) {
      const starts = new Map<string, number>();
      const ready = new Map<string, Ready>();
      const keys = new Map<string, Set<string>>();
      const echoes = echoesIn(ledger);
      ledger.onWipe(() => ready.clear());
      ledger.onEnqueue((functionName, { key, delayMs = 0, cause }) => {
        if (echoes.has(functionName, key, cause && changeIn(cause))) return;
        const known = keys.get(functionName) ?? new Set<string>();
        keys.set(functionName, known.add(key));
        const name = `${functionName} ${key}`;
        if (delayMs > 0 || ready.has(name) || ledger.stateOf(functionName, key) !== undefined) return;
        const others = [...known].filter((each) => ledger.stateOf(functionName, each)?.state === "ready");
        ready.set(name, { at: kernel.now, starts: starts.get(functionName) ?? 0, others: others.length });
      });
      ledger.onClaim((functionName, { key, readyMs }) => {
        const count = (starts.get(functionName) ?? 0) + 1;
        starts.set(functionName, count);
        const since = ready.get(`${functionName} ${key}`);
        if (since === undefined) return;
        ready.delete(`${functionName} ${key}`);
        // It had to wait for its floor first.
        if (readyMs < kernel.now - since.at) return;
        // A fault may have held back its token until the reaper came.
        if (readyMs >= REAP_MS && faultsSoFar() > 0) return;
        if (since.others > 0) evaluated();
        const before = count - since.starts;
        if (before > STARTS_PER_READY_KEY * since.others + STARTS_BEYOND)
          violated(`${functionName} ${key} was started after ${before} others`);
      });
    },
  },
];

/** An enqueued key that was idle. */
interface Ready {
  /** Of simulated time, ms since the epoch. */
  readonly at: number;
  /** Runs of its function that had been started before. */
  readonly starts: number;
  /** Keys of its function that were ready. */
  readonly others: number;
}

/** One claim. */
interface Start {
  /** Of simulated time, ms since the epoch. */
  readonly at: number;
  readonly tenant: string;
  /** Tenants that had all the runs that they may have at a time. */
  readonly full: ReadonlySet<string>;
}

function functionOfName({ functions }: World, name: string): AnyFunction | undefined {
  return functions.find(({ spec }) => spec.name === name);
}

/** Runs of one tenant at a time: what the function says, and never more than a quarter of its workers. */
function mostRunning(fn: AnyFunction | undefined): number | undefined {
  const { concurrency = DEFAULT_QUEUE.concurrency, maxRunningPerTenant } = fn?.spec.queue ?? {};
  if (maxRunningPerTenant === undefined) return undefined;
  return Math.min(maxRunningPerTenant, Math.max(1, Math.floor(concurrency / 4)));
}

/** How many keys of a tenant run now, the one that is being claimed included. */
function runningByTenant({ ledger }: World): (functionName: string, tenant: string) => number {
  const claimed = new Map<string, Set<Key>>();
  ledger.onWipe(() => claimed.clear());
  ledger.onClaim((functionName, { key }) => {
    const name = `${functionName} ${parseKey(key)?.tenant}`;
    const known = [...(claimed.get(name) ?? []), key];
    const running = known.filter((each) => ledger.isRunning(functionName, each));
    claimed.set(name, new Set(running));
  });
  return (functionName, tenant) => claimed.get(`${functionName} ${tenant}`)?.size ?? 0;
}
