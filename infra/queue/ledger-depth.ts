import type { QueueDepth, TenantDepth } from "../../shared/runtime/queue-port.ts";
import type { Class, Entry } from "./ledger-entries.ts";
import { tenantOf } from "./tenant-lines.ts";

/** Counts entries by state and tenant, with the ages of the oldest ready ones; for people and metrics. */
export function countEntries(now: number, entries: readonly Entry[]): QueueDepth {
  const total = { ready: 0, waiting: 0, running: 0, dead: 0 };
  const tenants = new Map<string, { -readonly [state in keyof TenantDepth]: number }>();
  const oldest: { [urgency in Class]?: number } = {};
  let readyResync = 0;
  let nextDueMs: number | undefined;
  for (const entry of entries) {
    const { key, state, class: wanted, readyAt = now, wakeAt = now } = entry;
    const tenant = tenants.get(tenantOf(key)) ?? { ready: 0, waiting: 0, running: 0, dead: 0 };
    tenants.set(tenantOf(key), tenant);
    tenant[state] += 1;
    total[state] += 1;
    if (state === "ready") oldest[wanted] = Math.max(oldest[wanted] ?? 0, now - readyAt);
    if (state === "ready" && wanted === "resync") readyResync += 1;
    if (state === "waiting") nextDueMs = Math.max(0, Math.min(nextDueMs ?? Infinity, wakeAt - now));
  }
  return {
    ...total,
    ...(nextDueMs === undefined ? {} : { nextDueMs }),
    ...(total.ready > 0 ? { readyResync, oldestReadyMs: oldest } : {}),
    ...(tenants.size > 0 ? { tenants: Object.fromEntries(tenants) } : {}),
  };
}
