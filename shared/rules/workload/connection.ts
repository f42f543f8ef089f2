import type { Cluster } from "../../api/cluster/cluster.ts";
import type { Condition } from "../../api/conditions.ts";
import type { Connection } from "../../api/core.ts";
import { SECOND } from "../../function/backoff.ts";
import type { Notice } from "../../function/define-function.ts";
import { isDeleting } from "../../function/guards.ts";
import { condition, conditionOf, type DesiredCondition, timestamp } from "../conditions/conditions.ts";

const TYPE = "RemoteConnectionProbe";
/** A connection that worked may fail for this long before the condition says so. */
const GRACE_MS = 50 * SECOND;
/** Failed attempts after which a connection that never worked is called failed. */
const MAX_FAILURES = 5;
/** A manifest may name the Cluster before its Secret. */
const SECRET_GRACE_MS = 10 * SECOND;

const NOT_YET = "Remote connection not established yet";
const FAILED = "Remote connection probe failed";

/** The fields of a Connection that the report is made from. */
export const CONNECTION_FIELDS = [
  "metadata.uid",
  "status.state",
  "status.message",
  "status.lastSuccess",
  "status.failures",
] as const;

export interface ConnectionReport {
  readonly condition: DesiredCondition;
  readonly events: readonly Notice[];
  /** When a grace period ends; the report must be repeated then. */
  readonly expiresInMs?: number | undefined;
}

/**
 * Returns `RemoteConnectionProbe` and its Events from what the relay publishes. It needs no memory: failing and the
 * last success older than 50 s is False, a younger one is True until then; unknown after a restart leaves the condition
 * as it is. Differs: behind the text of Cluster API stands the reason, in the words of the Connection, and one Warning
 * Event per reason from the first failure on.
 */
export function connectionReport(
  cluster: Cluster,
  connection: Connection | undefined,
  now: Date,
): ConnectionReport {
  const stored = conditionOf(cluster.status?.conditions, TYPE);
  if (connection === undefined) return { condition: unchanged(stored), events: [] };
  const { message, expiresInMs } = connectionProblem(cluster, connection, now);
  const events: readonly Notice[] =
    message === undefined ? [] : [{ type: "Warning", reason: "ConnectionFailed", message }];
  const probe = probeCondition(stored, connection, { message, now });
  return { expiresInMs, ...probe, events };
}

interface Reason {
  /** The message; absent while nothing is wrong. */
  readonly message?: string | undefined;
  /** When a failure that is not reported yet must be reported. */
  readonly expiresInMs?: number | undefined;
}

/**
 * Returns why the connection does not work. Nothing while the Cluster comes up or goes away: until the control plane is
 * initialized its server may be away and its Secret missing.
 */
export function connectionProblem(cluster: Cluster, { status }: Connection, now: Date): Reason {
  const { lastSuccess, failures } = status;
  if (status.message === undefined || isDeleting(cluster)) return {};
  const message = withWriter(cluster, status.message);
  if (lastSuccess !== undefined || failures >= MAX_FAILURES) return { message };
  if (cluster.spec.controlPlaneRef !== undefined) {
    return cluster.status?.initialization?.controlPlaneInitialized === true ? { message } : {};
  }
  const ageMs = now.getTime() - Date.parse(cluster.metadata.creationTimestamp ?? "");
  // Without creationTimestamp the age is not a number.
  const isYoung = failures === 0 && ageMs < SECRET_GRACE_MS;
  return isYoung ? { expiresInMs: SECRET_GRACE_MS - ageMs } : { message };
}

/** Words of the relay about the kubeconfig Secret itself. */
const OF_SECRET = /^kubeconfig Secret \S+ does not exist$|: the client certificate expired at \S+$/;

/** Adds who writes the kubeconfig Secret, which depends on the Cluster. */
function withWriter({ metadata, spec }: Cluster, message: string): string {
  if (!OF_SECRET.test(message)) return message;
  const { namespace = "", name } = metadata;
  const { kind, name: object } = spec.controlPlaneRef ?? {};
  const isGone = message.endsWith("exist");
  if (kind === undefined) {
    const issued = `Capstan issues it from Secret ${namespace}/${name}-ca`;
    return `${message}; ${isGone ? `${issued}, or write it` : `${issued} again once it is deleted`}`;
  }
  const writer = `the controller of ${kind} ${namespace}/${object}`;
  return isGone
    ? `${message}; ${writer} writes it once the control plane is initialized`
    : `${message}; ${writer} renews it, at the latest once the Secret is deleted`;
}

function probeCondition(
  stored: Condition | undefined,
  { status: { state, lastSuccess, failures } }: Connection,
  { message, now }: { readonly message: string | undefined; readonly now: Date },
): Omit<ConnectionReport, "events"> {
  // A single failed probe is reported by an Event: in a condition it would come and go.
  if (state === "connected") return { condition: succeeded(failures === 0 ? message : undefined) };
  if (lastSuccess !== undefined) {
    const expiresInMs = Date.parse(lastSuccess) + GRACE_MS - now.getTime();
    if (expiresInMs > 0) return { condition: succeeded(undefined), expiresInMs };
    return {
      condition: failed(`${FAILED}, probe last succeeded at ${timestamp(new Date(lastSuccess))}`, message),
    };
  }
  if (failures >= MAX_FAILURES) return { condition: failed(knownFailure(stored) ?? FAILED, message) };
  // After a restart of the relay the next attempt may succeed; a missing Secret stays missing.
  if (message === undefined || (stored?.status === "True" && state !== "unknown")) {
    return { condition: unchanged(stored) };
  }
  return {
    condition: failed(knownFailure(stored) ?? (stored?.status === "True" ? FAILED : NOT_YET), message),
  };
}

/** The reason in the condition, for who has no other: a server that does not answer in time is known after a minute. */
export function reasonReported({ status }: Cluster, connection: Connection | undefined): string | undefined {
  const stored = conditionOf(status?.conditions, TYPE);
  if (stored?.status !== "False" || connection?.status.state === "connected") return undefined;
  const [, ...reason] = stored.message.split(": ");
  return reason.length === 0 ? undefined : reason.join(": ");
}

/** Findings of an earlier relay, without their reason. */
function knownFailure(stored: Condition | undefined): string | undefined {
  const [text = ""] = stored?.message.split(": ") ?? [];
  return text.startsWith(FAILED) ? text : undefined;
}

function succeeded(message: string | undefined): DesiredCondition {
  return condition(TYPE, "True", "ProbeSucceeded", message);
}

function failed(text: string, reason: string | undefined): DesiredCondition {
  return condition(TYPE, "False", "ProbeFailed", reason === undefined ? text : `${text}: ${reason}`);
}

function unchanged(stored: Condition | undefined): DesiredCondition {
  return stored === undefined
    ? condition(TYPE, "False", "ProbeFailed", NOT_YET)
    : condition(TYPE, stored.status, stored.reason, stored.message);
}
