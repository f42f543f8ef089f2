import { SimInstance } from "../../../infra/playground/api/sim-cloud.ts";
import { SimMachine } from "../../../infra/playground/api/sim-machine.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { User } from "../play/user.ts";

/** How the Node of an instance fails. */
type NodeFault = "NotReady" | "Unknown" | "Gone";

/**
 * MachineHealthCheck of set s1 in c1: a Node fails that has had this status of Ready for half a minute. Its startup may
 * take longer than faults last: they keep Nodes away for ten minutes, and how often decides how many are replaced.
 */
export function healthCheck(name: string, ready: "False" | "Unknown", remediation = "{}"): string {
  const spec = remediation === "{}" ? "" : `\n  remediation: ${remediation}`;
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: { name: ${name}, namespace: default }
spec:
  clusterName: c1
  selector: { matchLabels: { set: s1 } }
  checks:
    nodeStartupTimeoutSeconds: 7200
    unhealthyNodeConditions: [{ type: Ready, status: "${ready}", timeoutSeconds: 30 }]${spec}
`;
}

/** One Machine: faults may have another one under its name later. */
export interface Target {
  readonly name: string;
  readonly uid: string;
}

/** The Machines that are there, by name; at least as many as are asked for. */
export function targetsOf(user: User): readonly [Target, Target, Target] {
  const [first = NONE, second = NONE, third = NONE] = user
    .list(Machine)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata: { name, uid = "" } }) => ({ name, uid }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [first, second, third];
}

const NONE: Target = { name: "", uid: "" };

/** Asks the cloud to let the Node of a Machine fail, once nothing takes its instance away: a fault may. */
export async function failNode(user: User, target: Target, node: NodeFault): Promise<void> {
  const isStaying = (): boolean =>
    user.see(SimMachine, target.name)?.metadata.deletionTimestamp === undefined &&
    user.see(SimInstance, target.name)?.status?.phase === "Running";
  await user.until(() => isGone(user, target) || isStaying());
  await patchInstance(user, target.name, [{ op: "add", path: "/spec/faults", value: { node } }]);
}

/** Asks the cloud to let it recover. */
export async function mendNode(user: User, { name }: Target): Promise<void> {
  // `add` also where a reboot has taken the failure away already.
  await patchInstance(user, name, [{ op: "add", path: "/spec/faults", value: {} }]);
}

async function patchInstance(user: User, name: string, operations: readonly PatchOperation[]): Promise<void> {
  await user.patch(SimInstance as Kind, name, operations);
}

/** Whether a Machine has gone, or another one has its name. */
export function isGone(user: User, { name, uid }: Target): boolean {
  return user.see(Machine, name)?.metadata.uid !== uid;
}

/** Whether a Machine has the condition with this status; absent = `undefined`. */
export function says(user: User, name: string, type: string, status: string | undefined): boolean {
  return conditionOf(user.see(Machine, name)?.status?.conditions, type)?.status === status;
}

/** Whether a Machine is healthy for its health checks, or has gone, as faults may have it. */
export function isHealthyOrGone(user: User, target: Target): boolean {
  return isGone(user, target) || says(user, target.name, "HealthCheckSucceeded", "True");
}
