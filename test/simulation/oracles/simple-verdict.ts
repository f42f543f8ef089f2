import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Node } from "../../../shared/api/core.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";

/** `none`: its Machine names none. `gone`: its server has said so. `unknown`: it was not seen. */
export type NodeSeen = Node | "none" | "gone" | "unknown";

/** A verdict, and when what fails has failed for long enough, ms since 1970: infinite when nothing does. */
export interface Verdict {
  readonly is: "healthy" | "failing" | "unhealthy" | "neither" | "unknown";
  readonly failsAtMs: number;
}

interface Facts {
  readonly check: MachineHealthCheck;
  readonly cluster: Cluster;
  readonly machine: Machine;
  readonly node: NodeSeen;
}

interface Stamped {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string | undefined;
}

/** Returns the verdict on a target by these objects alone: no process remembers anything. */
export function verdictOn(facts: Facts, nowMs: number): Verdict {
  const { machine, node } = facts;
  const isAsked = machine.metadata.annotations?.["cluster.x-k8s.io/remediate-machine"] !== undefined;
  const failsAtMs = isAsked
    ? Number.NEGATIVE_INFINITY
    : Math.min(Number.POSITIVE_INFINITY, ...failures(facts));
  if (failsAtMs < nowMs) return { is: "unhealthy", failsAtMs };
  if (node === "unknown") return { is: "unknown", failsAtMs };
  if (Number.isFinite(failsAtMs)) return { is: "failing", failsAtMs };
  const isThere = typeof node === "object" && machine.metadata.deletionTimestamp === undefined;
  return { is: isThere ? "healthy" : "neither", failsAtMs };
}

/** When each thing that fails has done so for too long. */
function failures({ check, cluster, machine, node }: Facts): readonly number[] {
  const { labels = {}, creationTimestamp } = machine.metadata;
  const { checks = {} } = check.spec;
  const infrastructureMs = becameTrueMs(cluster, "InfrastructureReady");
  const controlPlaneMs = becameTrueMs(cluster, "ControlPlaneInitialized");
  const isOfControlPlane = labels["cluster.x-k8s.io/control-plane"] !== undefined;
  if (infrastructureMs === undefined || (controlPlaneMs === undefined && !isOfControlPlane)) return [];
  const ofMachine = tooLong(machine.status?.conditions, checks.unhealthyMachineConditions);
  if (node === "unknown") return ofMachine;
  if (node === "gone") return [...ofMachine, Number.NEGATIVE_INFINITY];
  if (node !== "none")
    return [...ofMachine, ...tooLong(node.status?.conditions, checks.unhealthyNodeConditions)];
  const { nodeStartupTimeoutSeconds: seconds = 600 } = checks;
  const beganMs = [infrastructureMs, controlPlaneMs, becameTrueMs(machine, "InfrastructureReady")];
  const startedMs = Math.max(timeOf(creationTimestamp), ...beganMs.filter((ms) => ms !== undefined));
  return seconds === 0 ? ofMachine : [...ofMachine, startedMs + seconds * 1_000];
}

function tooLong(
  conditions: readonly Stamped[] = [],
  wanted: readonly { readonly type: string; readonly status: string; readonly timeoutSeconds: number }[] = [],
): readonly number[] {
  return wanted.flatMap(({ type, status, timeoutSeconds }) =>
    conditions
      .filter((each) => each.type === type && each.status === status)
      .map(({ lastTransitionTime }) => timeOf(lastTransitionTime) + timeoutSeconds * 1_000),
  );
}

function becameTrueMs({ status }: Cluster | Machine, type: string): number | undefined {
  const found = status?.conditions?.find((each) => each.type === type && each.status === "True");
  return found === undefined ? undefined : timeOf(found.lastTransitionTime);
}

function timeOf(text: string | undefined): number {
  const ms = Date.parse(text ?? "");
  return Number.isNaN(ms) ? Number.NEGATIVE_INFINITY : ms;
}
