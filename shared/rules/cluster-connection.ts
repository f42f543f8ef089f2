import type { Condition } from "../api/conditions.ts";
import type { Connection } from "../api/core.ts";
import { SECOND } from "../runtime/backoff.ts";
import { condition, type DesiredCondition, timestamp } from "./conditions.ts";

const TYPE = "RemoteConnectionProbe";
/** A connection may fail for this long before anybody is told. Source: cluster-and-controlplane.md 6.6 */
const GRACE_MS = 50 * SECOND;
/** Failed attempts after which a connection that never worked is called failed. */
const MAX_FAILURES = 5;

export interface ConnectionReport {
  readonly condition: DesiredCondition;
  /** When the grace period ends; the condition has to be computed again then. */
  readonly expiresInMs?: number | undefined;
}

/**
 * `RemoteConnectionProbe` from what the relay publishes. It needs no memory: failing and the last success older than
 * 50 s is False, a younger one is True until then; unknown after a restart leaves the condition as it is.
 */
export function connectionReport(
  stored: Condition | undefined,
  connection: Connection | undefined,
  now: Date,
): ConnectionReport {
  const state = connection?.status.state ?? "unknown";
  if (connection === undefined || state === "unknown") return { condition: unchanged(stored) };
  const { lastSuccess, failures } = connection.status;
  if (state === "connected") return { condition: condition(TYPE, "True", "ProbeSucceeded") };
  if (lastSuccess === undefined) {
    return failures < MAX_FAILURES ? { condition: unchanged(stored) } : { condition: failed() };
  }
  const expiresInMs = Date.parse(lastSuccess) + GRACE_MS - now.getTime();
  return expiresInMs > 0
    ? { condition: condition(TYPE, "True", "ProbeSucceeded"), expiresInMs }
    : { condition: failed(`, probe last succeeded at ${timestamp(new Date(lastSuccess))}`) };
}

function failed(since = ""): DesiredCondition {
  return condition(TYPE, "False", "ProbeFailed", `Remote connection probe failed${since}`);
}

function unchanged(stored: Condition | undefined): DesiredCondition {
  return stored === undefined
    ? condition(TYPE, "False", "ProbeFailed", "Remote connection not established yet")
    : condition(TYPE, stored.status, stored.reason, stored.message);
}
