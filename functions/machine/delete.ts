import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection, CustomResourceDefinition, Node } from "../../shared/api/core.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { BootstrapConfig } from "../../shared/contract/bootstrap-config.ts";
import { ControlPlane } from "../../shared/contract/control-plane.ts";
import { InfraMachine, infraMachinePaths } from "../../shared/contract/infra-machine.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import {
  type Decision,
  defineFunction,
  type Notice,
  watch,
  watchContract,
} from "../../shared/function/define-function.ts";
import {
  claimantsOfNode,
  inCluster,
  inClusterOfControlPlaneMachine,
  inClusterReferencing,
  itself,
  referencing,
  referencingKind,
} from "../../shared/function/mappings.ts";
import type { Reader } from "../../shared/function/reads.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { isDeleting } from "../../shared/rules/metadata/deletion.ts";
import { removeFinalizerPatch } from "../../shared/rules/metadata/finalizers.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { pausedBy } from "../../shared/rules/metadata/paused.ts";
import { OWNER_FIELDS } from "../../shared/rules/metadata/read-owner.ts";
import { COMPLETE_VIEW_FIELDS } from "../../shared/rules/workload/complete-view.ts";
import { type DeletionView, readDeletion, readDeletionBehind, readDeletionLive } from "./rules/deletion.ts";
import { TURN_FIELDS, WORD_FIELDS } from "./rules/drain-turn.ts";
import { MACHINE_FINALIZER } from "./rules/hold.ts";
import { HOOK_FIELDS } from "./rules/hooks.ts";
import { deleteNode, NODE_TIMEOUT_FIELDS, readNodeLeft } from "./rules/node-deletion.ts";
import {
  HANDLED_FIELDS,
  HANDLING_CLUSTER_FIELDS,
  HANDLING_CONTROL_PLANE_FIELDS,
  HANDLING_MACHINE_FIELDS,
} from "./rules/node-handling.ts";
import { unprovenDenial } from "./rules/read-handling.ts";
import { REFERENCE_FIELDS } from "./rules/reads.ts";
import { itselfBehindDrain } from "./rules/wakes.ts";

export const machineDelete = defineFunction(
  {
    name: "machine-delete",
    summary: "Takes a deleted Machine apart: infrastructure machine, config, Node, finalizer.",
    source: "core/reconcilers/machine/machine_controller.go",
    reconciles: Machine,
    actsOn: "deleting",
    watches: [
      watch(
        Machine,
        [
          ...HOLD_FIELDS,
          ...HOOK_FIELDS,
          ...HANDLED_FIELDS,
          ...TURN_FIELDS,
          ...NODE_TIMEOUT_FIELDS,
          ...REFERENCE_FIELDS,
          "spec.providerID",
        ],
        itself,
      ),
      watch(Machine, WORD_FIELDS, itselfBehindDrain),
      watch(Machine, HANDLING_MACHINE_FIELDS, inClusterOfControlPlaneMachine),
      watch(Cluster, [...PAUSING_FIELDS, ...HANDLING_CLUSTER_FIELDS], inCluster),
      watch(Connection, COMPLETE_VIEW_FIELDS, inCluster),
      watchContract(BootstrapConfig, ["metadata.uid", ...OWNER_FIELDS], referencing),
      watchContract(
        InfraMachine,
        ["metadata.uid", "metadata.deletionTimestamp", ...OWNER_FIELDS, ...infraMachinePaths("providerID")],
        referencing,
      ),
      watchContract(ControlPlane, HANDLING_CONTROL_PLANE_FIELDS, inClusterReferencing),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
      watch(Node, ["metadata.uid", "spec.providerID"], claimantsOfNode),
    ],
    reads: [
      { on: Machine, fields: ["status.nodeInfo.systemUUID"] },
      { on: Node, fields: ["status.nodeInfo.systemUUID"] },
    ],
    owns: [],
    ownsOn: [{ kind: Machine, fields: ["metadata.finalizers"] }],
    calls: [
      { verb: "delete", kind: InfraMachine },
      { verb: "delete", kind: BootstrapConfig },
      { verb: "delete", kind: Node, limited: true },
    ],
    queue: { concurrency: 40, maxRunningPerTenant: 10 },
  },
  async (machine, { read, now }) => {
    if (!isDeleting(machine)) return { result: done };
    // Snapshots say whether to look. A run that only waits asks no server.
    const shown = await readDeletion(read, machine);
    const held = heldBy(shown);
    if (held !== undefined) return { result: waitFor(held) };

    const view = await readDeletionLive(read, shown);
    if (view === undefined) return { result: done };
    const heldLive =
      heldBy(view) ?? (await unprovenDenial(read, view.machine, { ...view.handlingFacts, ...view.facts }));
    if (heldLive !== undefined) return { result: waitFor(heldLive) };
    return takeApart(read, view, now);
  },
);

/** Why nothing is deleted now: a pause, or what the stage waits for. */
function heldBy({ machine, facts, deed }: DeletionView): string | undefined {
  return pausedBy(facts.cluster, machine) ?? deed.awaits;
}

/**
 * One deed, and those behind it as long as the object of each ends with its delete: everything that must come before a
 * deed was read live in this run, or its end is what the server answers.
 */
async function takeApart(read: Reader, view: DeletionView, now: Date): Promise<Decision<Machine, never>> {
  const { machine, facts, deed } = view;
  const { handling } = facts;
  if (deed.awaits !== undefined) return { result: waitFor(deed.awaits) };
  if (deed.remove !== undefined) {
    const { kind, object, awaits } = deed.remove;
    const skipped = deed.step === "infrastructure" && handling.state === "denied";
    const message = skipped ? `The Node is neither drained nor deleted: ${handling.message}` : "";
    const events: readonly Notice[] = skipped
      ? [{ type: "Normal", reason: "NodeHandlingSkipped", message }]
      : [];
    const target = refTo(kind, object);
    const behind = await readDeletionBehind(read, view);
    if (behind === undefined) return { delete: [{ target }], events, result: waitFor(awaits) };
    const rest = await takeApart(read, behind, now);
    return {
      ...rest,
      delete: [{ target, mustEnd: true }, ...(rest.delete ?? [])],
      events: [...events, ...(rest.events ?? [])],
    };
  }
  const released = {
    patch: [
      { target: refTo(Machine, machine), operations: removeFinalizerPatch(machine, MACHINE_FINALIZER) },
    ],
    result: done,
  };
  if (handling.state !== "allowed") return released;
  return deleteNode(machine, await readNodeLeft(read, machine), { released, now });
}
