import { DEFAULT_QUEUE } from "../../../shared/function/backoff.ts";
import { type Key, parseKey } from "../../../shared/runtime/queue/key.ts";
import type { World } from "../play/world.ts";
import { changeIn, echoesIn } from "./echoes.ts";
import type { Oracle } from "./oracle.ts";

/** Beyond the time that a key settles: one token and one claim, which take no time here. */
const BOUND_MS = 1_000;
/** After the last fault, what was held up has had its time: the cap of the backoff with its jitter, and 30 s. */
const RECOVERED_MS = 6 * 60_000;

/** An event whose key has not been claimed since. */
interface Waiting {
  /** Of simulated time, ms since the epoch. */
  readonly dueAt: number;
  readonly why: string;
  readonly change: string | undefined;
}

/** Keys and idle workers: F-17. */
export const promptness: readonly Oracle[] = [
  {
    number: "F-17",
    title: "with an idle worker a key with an event is claimed when it has settled",
    watch({ world, violated, evaluated, faultsSoFar }) {
      const { ledger, kernel } = world;
      const echoes = echoesIn(ledger);
      const waiting = new Map<string, Waiting>();
      /** Until then a run holds off the next one. */
      const floors = new Map<string, number>();
      const room = roomOf(world);
      let [faults, lastFaultAt] = [0, Number.NEGATIVE_INFINITY];
      const isUndisturbed = (since: number): boolean => {
        if (faultsSoFar() > faults) [faults, lastFaultAt] = [faultsSoFar(), kernel.now];
        return since > lastFaultAt + RECOVERED_MS;
      };
      ledger.onEnqueue((functionName, { key, priority: wanted, delayMs = 0, cause }) => {
        const name = `${functionName} ${key}`;
        isUndisturbed(kernel.now);
        const dueAt = kernel.now + delayMs;
        const change = cause && changeIn(cause);
        if (wanted !== "live" || echoes.has(functionName, key, change)) return;
        if ((waiting.get(name)?.dueAt ?? Number.POSITIVE_INFINITY) <= dueAt) return;
        waiting.set(name, { dueAt, why: cause?.what ?? "", change });
      });
      ledger.onClaim((functionName, { key }) => {
        const name = `${functionName} ${key}`;
        const known = waiting.get(name);
        waiting.delete(name);
        if (known === undefined) return;
        const readyAt = Math.max(known.dueAt, floors.get(name) ?? 0, room.fullUntil(functionName, key));
        if (!isUndisturbed(known.dueAt)) return;
        evaluated();
        if (kernel.now > readyAt + BOUND_MS)
          violated(`${name} waits ${kernel.now - readyAt} ms since ${known.why}, and a worker is idle`);
      });
      ledger.onFinish(({ functionName, claim, outcome }) => {
        const isArmed = outcome.type !== "retry" && outcome.requested;
        const asked = outcome.type === "ok" ? (outcome.notBeforeMs ?? 0) : 0;
        const started = room.startedAt(functionName, claim.key) ?? kernel.now;
        const floorMs = Math.max(asked, isArmed ? claim.minIntervalMs : 0);
        const name = `${functionName} ${claim.key}`;
        floors.set(name, started + floorMs);
        if (echoes.has(functionName, claim.key, waiting.get(name)?.change)) waiting.delete(name);
      });
      ledger.onWipe(() => {
        waiting.clear();
        floors.clear();
      });
    },
  },
];

/** Whether a worker had room for a key: none has while it runs, its function has all its runs, or its tenant has. */
function roomOf({ ledger, kernel, functions }: World) {
  const running = new Map<string, Map<Key, number>>();
  /** By function, by function and tenant, and by function and key: when there was no room last. */
  const full = new Map<string, number>();
  const started = new Map<string, number>();
  const note = (functionName: string, key: Key): void => {
    const { queue = {} } = functions.find(({ spec }) => spec.name === functionName)?.spec ?? {};
    const keys = running.get(functionName) ?? new Map<Key, number>();
    running.set(functionName, keys);
    for (const known of [...keys.keys()]) if (!ledger.isRunning(functionName, known)) keys.delete(known);
    const tenant = parseKey(key)?.tenant ?? "";
    const ofTenant = [...keys.keys()].filter((each) => parseKey(each)?.tenant === tenant).length;
    const { concurrency = DEFAULT_QUEUE.concurrency, maxRunningPerTenant = Number.POSITIVE_INFINITY } = queue;
    const most = Math.min(maxRunningPerTenant, Math.max(1, Math.floor(concurrency / 4)));
    if (keys.size >= concurrency) full.set(functionName, kernel.now);
    if (maxRunningPerTenant < Number.POSITIVE_INFINITY && ofTenant >= most)
      full.set(`${functionName} ${tenant}`, kernel.now);
  };
  ledger.onClaim((functionName, { key }) => {
    note(functionName, key);
    running.get(functionName)?.set(key, kernel.now);
    started.set(`${functionName} ${key}`, kernel.now);
    note(functionName, key);
  });
  ledger.onFinish(({ functionName, claim: { key } }) => {
    full.set(`${functionName} ${key}`, kernel.now);
    // While it ran, the others may have waited for it.
    const wasFull = (name: string): boolean =>
      (full.get(name) ?? -1) >= (started.get(`${functionName} ${key}`) ?? 0);
    for (const name of [functionName, `${functionName} ${parseKey(key)?.tenant ?? ""}`])
      if (wasFull(name)) full.set(name, kernel.now);
    note(functionName, key);
  });
  return {
    startedAt: (functionName: string, key: Key) => started.get(`${functionName} ${key}`),
    fullUntil(functionName: string, key: Key): number {
      const names = [
        functionName,
        `${functionName} ${parseKey(key)?.tenant ?? ""}`,
        `${functionName} ${key}`,
      ];
      return Math.max(...names.map((name) => full.get(name) ?? 0));
    },
  };
}
