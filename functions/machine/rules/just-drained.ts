import type { Machine } from "../../../shared/api/machine/machine.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { startOf } from "./drain-timers.ts";

/** A deletion without Pods, volumes and slow providers is over within a second or two of the drain. */
const WAIT_MS = 5 * SECOND;

/**
 * Returns how long the status of a deleted Machine still waits after a short drain: mostly the Machine is gone by then, and a
 * status meanwhile would change the version that the last patch of `machine-delete` tests, which then does all its reads
 * again. `undefined`: the status is written now.
 */
export function justDrainedWaitMs(machine: Machine, now: Date): number | undefined {
  const { reason } = conditionOf(machine.status?.conditions, "Deleting") ?? {};
  const startedAt = startOf(machine, "volumes") ?? startOf(machine, "drain");
  if (reason !== "WaitingForInfrastructureDeletion" || startedAt === undefined) return undefined;
  const leftMs = Date.parse(startedAt) + WAIT_MS - now.getTime();
  return leftMs > 0 ? Math.min(WAIT_MS, leftMs) : undefined;
}
