import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection, Node } from "../../shared/api/core.ts";
import { refTo, workloadCluster } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import { readBoolean } from "../../shared/contract/fields.ts";
import { InfraMachine, infraMachinePath, infraMachinePaths } from "../../shared/contract/infra-machine.ts";
import { MINUTE } from "../../shared/function/backoff.ts";
import {
  defineFunction,
  type Notice,
  watch,
  watchContract,
  whileLiving,
} from "../../shared/function/define-function.ts";
import {
  claimantsOfNode,
  inCluster,
  inClusterOf,
  itself,
  ownedBy,
  referencing,
} from "../../shared/function/mappings.ts";
import type { Reader } from "../../shared/function/reads.ts";
import { done, type Result, requeueAfter, waitFor } from "../../shared/function/result.ts";
import { readNodes } from "../../shared/rules/machines/node-of-machine.ts";
import { isDeleting } from "../../shared/rules/metadata/deletion.ts";
import { FINALIZERS, hasFinalizer } from "../../shared/rules/metadata/finalizers.ts";
import { PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { PAUSE_FIELDS, pausedBy } from "../../shared/rules/metadata/paused.ts";
import { clusterKeyOf, readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { OWNER_FIELDS, readOwner } from "../../shared/rules/metadata/read-owner.ts";
import { COMPLETE_VIEW_FIELDS } from "../../shared/rules/workload/complete-view.ts";
import { ownObject } from "./rules/adoption.ts";
import { MACHINE_FINALIZER } from "./rules/hold.ts";
import {
  MARKED_FIELDS,
  MARKING_FIELDS,
  type MarkFacts,
  type NodeMarks,
  nodeMarks,
} from "./rules/node-marks.ts";
import { REFERENCE_FIELDS } from "./rules/reads.ts";
import { isOutdated, REVISION_FIELDS } from "./rules/revision.ts";

export const machineNode = defineFunction(
  {
    name: "machine-node",
    summary:
      "Marks the Node of a Machine, copies labels, annotations and taints to it, and opens it for pods.",
    source: "core/reconcilers/machine/machine_controller_noderef.go",
    reconciles: Machine,
    isIdle: (machine) => machine.spec.providerID === undefined || !hasFinalizer(machine, MACHINE_FINALIZER),
    watches: [
      watch(
        Machine,
        [FINALIZERS, ...PAUSE_FIELDS, ...MARKING_FIELDS, ...REFERENCE_FIELDS, "spec.providerID"],
        itself,
      ),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watch(Connection, COMPLETE_VIEW_FIELDS, inCluster),
      // While the Machine goes, so do they: each of a thousand deletions would wake three times for nothing.
      whileLiving(watch(Node, ["metadata.uid", "spec.providerID", ...MARKED_FIELDS], claimantsOfNode)),
      whileLiving(
        watchContract(
          InfraMachine,
          ["metadata.uid", ...OWNER_FIELDS, ...infraMachinePaths("interruptible")],
          referencing,
        ),
      ),
      watch(MachineSet, ["metadata.uid", ...OWNER_FIELDS, ...REVISION_FIELDS], ownedBy),
      watch(MachineDeployment, REVISION_FIELDS, inClusterOf),
    ],
    // That a deletion begins changes no mark.
    reads: [{ on: Machine, fields: ["metadata.deletionTimestamp", "status.nodeRef.name"] }],
    owns: [],
    ownsOn: [{ kind: Node, fields: MARKED_FIELDS }],
    inTurnWith: ["metadata.annotations", "spec.taints"].map((field) => ({
      function: "machinepool-nodes",
      on: Node,
      field,
      reason: "the pool leaves a Node whose provider ID a Machine has, or that a Machine names",
    })),
    queue: { concurrency: 20, maxRunningPerTenant: 5 },
  },
  async (machine, { read }) => {
    const hold = heldBy(machine, await readCluster(read, machine));
    if (hold !== undefined) return { result: hold };
    const { nodes, rivals, namers = [] } = await readNodes(read, machine, machine.spec.providerID);
    if (nodes === undefined) return { result: waitFor("Connection.status.nodesComplete") };
    const [node, ...others] = nodes;
    if (node === undefined) return { result: isDeleting(machine) ? done : waitFor("Node.spec.providerID") };
    // Conditions name them. Which of two Machines goes, or which gets another ID, wakes only that one.
    if (others.length > 0 || rivals.length > 0) {
      return { result: requeueAfter(MINUTE, "a provider ID that two Nodes or two Machines have") };
    }
    if (namers.length > 0) return { result: requeueAfter(MINUTE, "a Node that another Machine names") };
    const marks = nodeMarks(machine, node, await readFacts(read, machine));
    // The kubelet writes all the time: a test of the version would lose against it.
    const target = {
      ...refTo(Node, node, workloadCluster(clusterKeyOf(machine))),
      resourceVersion: undefined,
    };
    return {
      patch: marks.operations.length === 0 ? [] : [{ target, operations: marks.operations }],
      events: eventsOf(node, marks),
      result: done,
    };
  },
);

/** A deleted Machine still has its Node: marks follow until the finalizer is gone. */
function heldBy(machine: Machine, cluster: Cluster | undefined): Result | undefined {
  if (machine.spec.providerID === undefined) return waitFor("Machine.spec.providerID");
  if (cluster === undefined) return waitFor("Cluster.metadata.uid");
  const pause = pausedBy(cluster, machine);
  if (pause !== undefined) return waitFor(pause);
  return hasFinalizer(machine, MACHINE_FINALIZER) ? undefined : waitFor("Machine.metadata.finalizers");
}

async function readFacts(read: Reader, machine: Machine): Promise<MarkFacts> {
  const { namespace = "" } = machine.metadata;
  const [infrastructure, set] = await Promise.all([
    read.referenced(machine.spec.infrastructureRef, namespace),
    readOwner(MachineSet, machine, read),
  ]);
  const own = ownObject(machine, infrastructure);
  const deployment = set === undefined ? undefined : await readOwner(MachineDeployment, set, read);
  return {
    interruptible:
      own !== undefined &&
      readBoolean(own.object, infraMachinePath(own.contract, "interruptible")).value === true,
    outdated: isOutdated(set, deployment),
  };
}

function eventsOf({ metadata }: Node, { becomesInterruptible, refusedTaints }: NodeMarks): readonly Notice[] {
  const refused = refusedTaints.map((taint): Notice => {
    const message = `spec.taints: ${taint} is reserved and left out; remove it`;
    return { type: "Warning", reason: "InvalidSpec", message };
  });
  if (!becomesInterruptible) return refused;
  return [
    ...refused,
    { type: "Normal", reason: "SuccessfulSetInterruptibleNodeLabel", message: metadata.name },
  ];
}
