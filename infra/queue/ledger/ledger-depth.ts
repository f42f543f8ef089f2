import type { DeadKey, KeyState, QueueDepth, TenantDepth } from "../../../shared/runtime/queue/queue-port.ts";
import type { Class, Entry } from "./ledger-entries.ts";
import { tenantOfKey } from "./tenant-lines.ts";

type Tally = { -readonly [state in keyof TenantDepth]: number };

/** Counts entries by state and tenant, with the ages of the oldest ready ones; for people and metrics. */
export function countEntries(now: number, entries: readonly Entry[]): QueueDepth {
  const total: Tally = { ready: 0, waiting: 0, running: 0, dead: 0 };
  const tenants = new Map<string, Tally>();
  const oldest: { [urgency in Class]?: number } = {};
  let nextDueMs: number | undefined;
  for (const entry of entries) {
    const { key, state, class: wanted, readyAt = now, wakeAt = now } = entry;
    const tenant = tenants.get(tenantOfKey(key)) ?? { ready: 0, waiting: 0, running: 0, dead: 0 };
    tenants.set(tenantOfKey(key), tenant);
    countIn(tenant, entry);
    countIn(total, entry);
    if (state === "ready") oldest[wanted] = Math.max(oldest[wanted] ?? 0, now - readyAt);
    if (state === "waiting") nextDueMs = Math.max(0, Math.min(nextDueMs ?? Infinity, wakeAt - now));
  }
  const tickLagMs = lagOf(now, entries);
  const { readyResync = 0, ...counts } = total;
  return {
    ...counts,
    ...(nextDueMs === undefined ? {} : { nextDueMs }),
    ...(tickLagMs > 0 ? { tickLagMs } : {}),
    ...(counts.ready > 0 ? { readyResync, oldestReadyMs: oldest } : {}),
    ...(tenants.size > 0 ? { tenants: Object.fromEntries(tenants) } : {}),
  };
}

function countIn(tally: Tally, { state, class: wanted }: Entry): void {
  tally[state] += 1;
  if (state === "ready" && wanted === "resync") tally.readyResync = (tally.readyResync ?? 0) + 1;
}

/** Returns for how many ms the longest overdue key has been due; 0 when none is. */
function lagOf(now: number, entries: readonly Entry[]): number {
  const moved = entries.filter(({ state }) => state === "waiting" || state === "running");
  return moved.reduce((lag, { wakeAt = now }) => Math.max(lag, now - wakeAt), 0);
}

/** Returns the dead keys, the longest dead first. */
export function deadKeys(entries: readonly Entry[]): readonly DeadKey[] {
  return entries
    .flatMap(({ state, key, deadSince, failures, failure }) =>
      state === "dead" && deadSince !== undefined && failure !== undefined
        ? [{ key, since: new Date(deadSince), failures, failure }]
        : [],
    )
    .sort((a, b) => a.since.getTime() - b.since.getTime() || (a.key < b.key ? -1 : 1));
}

/** Describes one entry for people. */
export function keyStateOf(entry: Entry): KeyState {
  const { state, readyAt, lease, deadSince, wakeAt, causes, failures, failure } = entry;
  const since = { waiting: undefined, ready: readyAt, running: lease?.startedAt, dead: deadSince }[state];
  return {
    state,
    ...(since === undefined ? {} : { since: new Date(since) }),
    ...(state !== "ready" && wakeAt !== undefined ? { until: new Date(wakeAt) } : {}),
    ...(state !== "dead" && deadSince !== undefined ? { deadSince: new Date(deadSince) } : {}),
    ...(state === "running" && lease !== undefined ? { owner: lease.owner } : {}),
    causes,
    failures,
    ...(failures > 0 && failure !== undefined ? { failure } : {}),
  };
}
