import { NOISY } from "../faults/tenants.ts";
import { nameOf, ORACLES } from "../oracles/known.ts";
import type { StoredChange } from "../oracles/oracle.ts";
import { isPoll, reopenings } from "./polls.ts";
import type { World } from "./world.ts";

/** A process that sent a request longer ago stood still, and another one may have run the key meanwhile. */
const LEASE_MS = 30_000;

/** Counts of a run and of its oracles. */
export interface Counters {
  readonly history: Map<string, number>;
  /** By the name of the oracle. */
  readonly evaluations: Map<string, number>;
  /** Of the oracles, for the end. */
  readonly checks: (() => void | Promise<void>)[];
  requests: number;
  bytes: number;
  writes: number;
  /** Creations by requests without a waiter, or whose lease was over. */
  madeLate: number;
  runs: number;
  lastWrite: string;
}

/** Counts from now on, and lets the oracles watch. */
export function observe(world: World, violated: (what: string) => void, faultsSoFar: () => number): Counters {
  const counters: Counters = {
    history: new Map(),
    evaluations: new Map(),
    checks: [],
    requests: 0,
    bytes: 0,
    writes: 0,
    madeLate: 0,
    runs: 0,
    lastWrite: "",
  };
  const observers: ((change: StoredChange) => void)[] = [];
  world.management.onChange((type, change) => {
    if (change.object.metadata.namespace === NOISY) return;
    if (change.type !== "MODIFIED") {
      const what = `${change.type === "ADDED" ? "created" : "deleted"} ${type}`;
      counters.history.set(what, (counters.history.get(what) ?? 0) + 1);
    }
    const after = change.type === "DELETED" ? undefined : change.object;
    for (const observer of observers) observer({ type, before: change.previous, after } as StoredChange);
  });
  const isReopening = reopenings();
  const leftAt = new WeakMap<object, number>();
  world.network.onLeave(({ request }) => leftAt.set(request, world.kernel.now));
  world.network.witness(({ process, request, code, text, isLate }) => {
    const isRepeated = isPoll(process, request.path) || isReopening(process, request.path, world.kernel.now);
    if (process.name.startsWith("user") || isRepeated || isOfNoise(request.path)) return;
    counters.requests += 1;
    counters.bytes += text.length + (request.body?.length ?? 0);
    if (request.method === "GET" || code >= 300) return;
    const isOverdue = isLate || world.kernel.now - (leftAt.get(request) ?? world.kernel.now) > LEASE_MS;
    if (isOverdue && code === 201) counters.madeLate += 1;
    // Sent long ago.
    if (isLate) return;
    counters.writes += 1;
    counters.lastWrite = `${process.name} ${request.headers["user-agent"]} ${request.method} ${request.path} ${request.body}`;
  });
  // A run that only waits for the read model has no effect, and is bounded by F-05. A full resync runs every key once:
  // whenever its period is over, and after a loss.
  world.ledger.onFinish(({ claim, outcome }) => {
    const isOfResync = claim.causes.length > 0 && claim.causes.every(({ what }) => what === "resync");
    if (outcome.type !== "retry" && !isOfResync && !claim.key.startsWith(`${NOISY}/`)) counters.runs += 1;
  });
  for (const oracle of ORACLES) {
    oracle.watch({
      world,
      onChange: (observer) => void observers.push(observer),
      onRest: (check) => void counters.checks.push(check),
      evaluated: () =>
        void counters.evaluations.set(nameOf(oracle), (counters.evaluations.get(nameOf(oracle)) ?? 0) + 1),
      violated: (what) => violated(`${oracle.number}: ${what}`),
      faultsSoFar,
    });
  }
  return counters;
}

/** Of another tenant. */
function isOfNoise(path: string): boolean {
  return path.includes(`/namespaces/${NOISY}/`);
}
