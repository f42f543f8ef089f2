import type { Connection, Node } from "../../../shared/api/core.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { isCompleteView } from "../../../shared/rules/workload/complete-view.ts";
import { drainTurn, type TurnFacts } from "./drain-turn.ts";
import { type HookPoint, hooksOf } from "./hooks.ts";
import { leftOf } from "./left.ts";

/** Everything beside the deleted Machine that decides about the stage of its deletion. */
export interface StageFacts extends TurnFacts, MachineProviders {
  /** The Node of `nodeRef` as snapshots show it. */
  readonly node: Node | undefined;
  readonly connection: Connection | undefined;
}

/** Start times of hooks, which `machine-status` sets once. */
type HookStart = "waitForPreDrainHookStartTime" | "waitForPreTerminateHookStartTime";

/** The first stage of a deletion that is not finished, with reason and message of the condition `Deleting`. */
export interface MachineStage {
  readonly step:
    | "pre-drain hooks"
    | "drain"
    | "pre-terminate hooks"
    | "infrastructure"
    | "bootstrap"
    | "node"
    | "completed"
    | "unreadable";
  readonly reason: string;
  readonly message: string;
  /** The field of `status.deletion` that says since when; `now`, unless it is set. */
  readonly starts?: HookStart;
}

/**
 * The stage that a deleted Machine is in. `drain` stands for draining and for waiting for volumes: the words of its
 * condition are the drain's, and these are only the first ones. Asked of a Machine that is not paused.
 */
export function machineStage(machine: Machine, facts: StageFacts): MachineStage {
  const { handling } = facts;
  if (handling.state === "unknown") return unreadable(handling.message);
  const held = handling.state === "allowed" ? hookStage(machine, "pre-drain") : undefined;
  return held ?? (drainTurn(machine, facts) ? DRAIN : stageAfterDrain(machine, facts));
}

/** The stage behind the drain, which the drain writes when it is done. */
export function stageAfterDrain(machine: Machine, facts: StageFacts): MachineStage {
  return (
    hookStage(machine, "pre-terminate") ??
    providerStage(machine, "infrastructure", facts) ??
    providerStage(machine, "bootstrap", facts) ??
    nodeStage(machine, facts) ??
    COMPLETED
  );
}

const DRAIN: MachineStage = { step: "drain", reason: "Deleting", message: "Deletion started" };
const COMPLETED: MachineStage = {
  step: "completed",
  reason: "DeletionCompleted",
  message: "Deletion completed",
};

const HOOKS = {
  "pre-drain": {
    step: "pre-drain hooks",
    reason: "WaitingForPreDrainHook",
    starts: "waitForPreDrainHookStartTime",
  },
  "pre-terminate": {
    step: "pre-terminate hooks",
    reason: "WaitingForPreTerminateHook",
    starts: "waitForPreTerminateHookStartTime",
  },
} as const satisfies { readonly [point in HookPoint]: Omit<MachineStage, "message"> };

function hookStage(machine: Machine, point: HookPoint): MachineStage | undefined {
  const hooks = hooksOf(machine, point);
  if (hooks.length === 0) return undefined;
  return { ...HOOKS[point], message: `Waiting for ${point} hooks to succeed (hooks: ${hooks.join(",")})` };
}

const PROVIDERS = {
  infrastructure: "WaitingForInfrastructureDeletion",
  bootstrap: "WaitingForBootstrapDeletion",
} as const;

/** Differs: a refused delete is an Event and a dead letter with the server's words; upstream writes InternalError. */
function providerStage(
  machine: Machine,
  step: keyof MachineProviders,
  facts: StageFacts,
): MachineStage | undefined {
  const found = facts[step];
  if (found?.state === "unresolved" && found.crdExists) return unreadable(found.message);
  if (found?.state !== "found" || leftOf(machine, facts.cluster, found) === "gone") return undefined;
  return { step, reason: PROVIDERS[step], message: `Waiting for ${found.kind.kind} to be deleted` };
}

/** A Node with another provider ID is a new instance's, and stays. */
function nodeStage(machine: Machine, { handling, node, connection }: StageFacts): MachineStage | undefined {
  if (handling.state !== "allowed") return undefined;
  if (!isCompleteView(connection)) {
    const why = connection?.status.message ?? "not tried yet";
    const message = `Waiting for the connection to the workload cluster to delete the Node: ${why}`;
    return { step: "node", reason: "DeletingNode", message };
  }
  if (node === undefined || !mayBeNodeOf(machine, node)) return undefined;
  return {
    step: "node",
    reason: "DeletingNode",
    message: "Error deleting Node, please check controller logs for errors",
  };
}

/** Whether a Node is the Machine's, or may become it: it has the same provider ID, or none yet. */
export function mayBeNodeOf({ spec }: Machine, node: Node): boolean {
  const providerID = node.spec?.providerID ?? "";
  return providerID === "" || spec.providerID === undefined || providerID === spec.providerID;
}

/** Differs: the words say what cannot be read; upstream refers to its log. */
function unreadable(message: string): MachineStage {
  return { step: "unreadable", reason: "InternalError", message };
}
