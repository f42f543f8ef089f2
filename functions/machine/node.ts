import {
  Connection,
  MACHINE_FINALIZER,
  Machine,
  MachineDeployment,
  MachineSet,
  Node,
  refTo,
  workloadCluster,
} from "../../shared/api/entry.ts";
import { InfraMachine, infraMachinePaths } from "../../shared/contract/entry.ts";
import {
  claimantsOfNode,
  clusterKeyOf,
  defineFunction,
  done,
  has,
  hasCluster,
  inCluster,
  inClusterOf,
  isDeleting,
  itself,
  kept,
  MINUTE,
  type Notice,
  ownedBy,
  referencing,
  requeueAfter,
  turn,
  unpaused,
  waitFor,
  watch,
  watchContract,
  whileLiving,
} from "../../shared/function/define-function.ts";
import { COMPLETE_VIEW_FIELDS, OWNER_FIELDS, REFERENCE_FIELDS } from "../../shared/rules/entry.ts";
import { readNodes } from "../../shared/rules/machines/node-of-machine.ts";
import { MARKED_FIELDS, MARKING_FIELDS, type NodeMarks, nodeMarks } from "./rules/node-marks.ts";
import { readMarkFacts } from "./rules/reads.ts";
import { REVISION_FIELDS } from "./rules/revision.ts";

export const machineNode = defineFunction(
  {
    name: "machine-node",
    summary:
      "Marks the Node of a Machine, copies labels, annotations and taints to it, and opens it for pods.",
    source: "core/reconcilers/machine/machine_controller_noderef.go",
    reconciles: Machine,
    // A deleted Machine still has its Node: marks follow until the finalizer is gone.
    when: [has("spec.providerID"), hasCluster, unpaused, kept(MACHINE_FINALIZER)],
    watches: [
      watch(Machine, [...MARKING_FIELDS, ...REFERENCE_FIELDS], itself),
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
    ownsOn: [{ kind: Node, fields: MARKED_FIELDS }],
    inTurnWith: [
      turn(
        "machinepool-nodes",
        Node,
        ["metadata.annotations", "spec.taints"],
        "the pool leaves a Node whose provider ID a Machine has, or that a Machine names",
      ),
    ],
    queue: { concurrency: 20, maxRunningPerTenant: 5 },
  },
  async (machine, { read }) => {
    const { nodes, rivals, namers = [] } = await readNodes(read, machine, machine.spec.providerID);
    if (nodes === undefined) return { result: waitFor("Connection.status.nodesComplete") };
    const [node, ...others] = nodes;
    if (node === undefined) return { result: isDeleting(machine) ? done : waitFor("Node.spec.providerID") };
    // Conditions name them. Which of two Machines goes, or which gets another ID, wakes only that one.
    if (others.length > 0 || rivals.length > 0) {
      return { result: requeueAfter(MINUTE, "a provider ID that two Nodes or two Machines have") };
    }
    if (namers.length > 0) return { result: requeueAfter(MINUTE, "a Node that another Machine names") };
    const marks = nodeMarks(machine, node, await readMarkFacts(read, machine));
    const cluster = workloadCluster(clusterKeyOf(machine));
    // The kubelet writes all the time: a test of the version would lose against it.
    const target = { ...refTo(Node, node, cluster), resourceVersion: undefined };
    return {
      patch: marks.operations.length === 0 ? [] : [{ target, operations: marks.operations }],
      events: eventsOf(node, marks),
      result: done,
    };
  },
);

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
