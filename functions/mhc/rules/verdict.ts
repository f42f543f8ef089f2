import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Node } from "../../../shared/api/core.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { type MachineHealthCheck, STARTUP_TIMEOUT_SECONDS } from "../../../shared/api/machinehealthcheck.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { isControlPlaneMachine } from "../../../shared/rules/machines/control-plane-machine.ts";
import { isAskedFor } from "../../../shared/rules/machines/remediation.ts";

/**
 * The Node of a target. `none`: its Machine names no Node, or the control plane has not come up. `missing`: the server
 * of the Cluster has said that it does not exist. `unknown`: it was not asked, or has not answered.
 */
export type NodeEvidence = Node | "none" | "missing" | "unknown";

/** Everything that decides about one target of one health check. */
export interface Evidence {
  readonly check: MachineHealthCheck;
  readonly cluster: Cluster;
  readonly machine: Machine;
  readonly node: NodeEvidence;
}

/** Why a target is unhealthy: a CamelCase reason and one text for each finding, those of the Machine first. */
export interface Unhealthy {
  readonly is: "unhealthy";
  readonly reason: string;
  readonly texts: readonly string[];
  /** When the first of them began to fail, in ms since 1970; absent where that is not known. */
  readonly sinceMs?: number;
}

interface Pending {
  readonly is: "pending";
  readonly untilMs: number;
  /** When it began to fail, or to wait for a Node, in ms since 1970. */
  readonly sinceMs?: number;
}

/**
 * `pending`: something fails, and does so for too long at `untilMs` (since 1970) or has a Node by then. `neither`:
 * nothing fails, but nothing shows that it is healthy. `unknown`: its Node was not seen.
 */
export type Verdict = { readonly is: "healthy" | "neither" | "unknown" } | Pending | Unhealthy;

/** Whether one check has failed for too long, or when it will have. */
interface Finding {
  readonly reason: string;
  readonly text: string;
  readonly startedAtMs: number;
  /** First moment at which it fails; in the past = it fails. */
  readonly failsAtMs: number;
}

const SECONDS_PER_MINUTE = 60;
const SECONDS_PER_HOUR = 3_600;

/**
 * Returns what a health check says of one of its targets. A deadline is passed when it lies before `now`; exactly at it
 * nothing has failed yet.
 */
export function verdictOf(evidence: Evidence, now: Date): Verdict {
  const { cluster, machine, node } = evidence;
  if (isAskedFor(machine)) {
    return { is: "unhealthy", reason: "HasRemediateAnnotation", texts: [] };
  }
  if (!isDecidable(cluster, machine)) return withoutFinding(machine, node);

  const ofMachine = machineFindings(evidence);
  const found = [...ofMachine, ...nodeFindings(evidence)];
  const failed = found.filter(({ failsAtMs }) => failsAtMs < now.getTime());
  if (failed.length > 0) {
    const [first] = failed;
    const byMachine = failed.some((finding) => ofMachine.includes(finding));
    const sinceMs = failed.map((finding) => finding.failsAtMs).reduce((a, b) => Math.min(a, b));
    return {
      is: "unhealthy",
      reason: byMachine ? "UnhealthyMachine" : (first?.reason ?? ""),
      texts: failed.map(({ text }) => text),
      ...(Number.isFinite(sinceMs) ? { sinceMs } : {}),
    };
  }
  if (node === "unknown") return { is: "unknown" };
  if (found.length === 0) return withoutFinding(machine, node);
  const { startedAtMs, failsAtMs } = found.reduce((a, b) => (a.failsAtMs <= b.failsAtMs ? a : b));
  // Differs: upstream looks a second later. At the deadline itself it is not passed, 1 ms later it is.
  return { is: "pending", untilMs: failsAtMs + 1, sinceMs: startedAtMs };
}

/** Whether its Cluster is ready for a verdict: before, the Machine is given the time that its Cluster takes. */
function isDecidable({ status }: Cluster, machine: Machine): boolean {
  const isTrue = (type: string) => conditionOf(status?.conditions, type)?.status === "True";
  return (
    (isTrue("ControlPlaneInitialized") || isControlPlaneMachine(machine)) && isTrue("InfrastructureReady")
  );
}

function withoutFinding(machine: Machine, node: NodeEvidence): Verdict {
  if (node === "unknown") return { is: "unknown" };
  return { is: typeof node === "object" && !isDeleting(machine) ? "healthy" : "neither" };
}

/** A condition that is absent, or has another status, is in order. */
function machineFindings({ check, machine }: Evidence): readonly Finding[] {
  return (check.spec.checks?.unhealthyMachineConditions ?? []).flatMap((wanted) => {
    const found = conditionOf(machine.status?.conditions, wanted.type);
    return found?.status === wanted.status ? [finding("Machine", wanted, found)] : [];
  });
}

function nodeFindings(evidence: Evidence): readonly Finding[] {
  const { check, machine, node } = evidence;
  if (node === "unknown") return [];
  if (node === "none") return startupFindings(evidence);
  if (node === "missing") {
    const text = deletedText(machine);
    return [{ reason: "NodeDeleted", text, ...lasting(Number.NEGATIVE_INFINITY, 0) }];
  }
  return (check.spec.checks?.unhealthyNodeConditions ?? []).flatMap((wanted) => {
    const found = conditionOf(node.status?.conditions, wanted.type);
    return found?.status === wanted.status ? [finding("Node", wanted, found)] : [];
  });
}

/** The text of a finding about a Machine whose Node is gone. */
export function deletedText({ status }: Machine): string {
  return `Node ${status?.nodeRef?.name ?? ""} has been deleted`;
}

interface Wanted {
  readonly type: string;
  readonly status: string;
  readonly timeoutSeconds: number;
}

function finding(
  on: "Machine" | "Node",
  { type, status, timeoutSeconds }: Wanted,
  {
    reason = "",
    lastTransitionTime,
  }: { readonly reason?: string | undefined; readonly lastTransitionTime?: string | undefined },
): Finding {
  const text = `Condition ${type} on ${on} is reporting status ${status} with reason ${reason} for more than ${durationText(timeoutSeconds)}`;
  return { reason: `Unhealthy${on}`, text, ...lasting(timeOf(lastTransitionTime), timeoutSeconds) };
}

/** Writes whole seconds in Go's words: `0s`, `1m30s`, `10m0s`, `24h0m0s`. */
export function durationText(seconds: number): string {
  const hours = Math.floor(seconds / SECONDS_PER_HOUR);
  const minutes = Math.floor((seconds % SECONDS_PER_HOUR) / SECONDS_PER_MINUTE);
  const rest = `${seconds % SECONDS_PER_MINUTE}s`;
  if (hours > 0) return `${hours}h${minutes}m${rest}`;
  return minutes > 0 ? `${minutes}m${rest}` : rest;
}

function lasting(startedAtMs: number, timeoutSeconds: number) {
  return { startedAtMs, failsAtMs: startedAtMs + timeoutSeconds * SECOND };
}

/** The time counts from the last of the events that a Node needs before it can join. */
function startupFindings({ check, cluster, machine }: Evidence): readonly Finding[] {
  const timeoutSeconds = check.spec.checks?.nodeStartupTimeoutSeconds ?? STARTUP_TIMEOUT_SECONDS;
  if (timeoutSeconds === 0) return [];
  const became = (of: Cluster | Machine, type: string) => {
    const found = conditionOf(of.status?.conditions, type);
    return found?.status === "True" ? timeOf(found.lastTransitionTime) : Number.NEGATIVE_INFINITY;
  };
  const startedAtMs = Math.max(
    timeOf(machine.metadata.creationTimestamp),
    became(cluster, "ControlPlaneInitialized"),
    became(cluster, "InfrastructureReady"),
    became(machine, "InfrastructureReady"),
  );
  const text = `Node failed to report startup in ${durationText(timeoutSeconds)}`;
  return [{ reason: "NodeStartupTimeout", text, ...lasting(startedAtMs, timeoutSeconds) }];
}

/** Milliseconds since 1970; without a time it has been so for ever. */
function timeOf(text: string | undefined): number {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? Number.NEGATIVE_INFINITY : ms;
}
