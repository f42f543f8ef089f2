import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection, Namespace, Node } from "../../shared/api/core.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineDrainRule } from "../../shared/api/machine/machine-drain-rule.ts";
import { DaemonSet, PersistentVolume, Pod, VolumeAttachment } from "../../shared/api/workload.ts";
import { ControlPlane } from "../../shared/contract/control-plane.ts";
import { InfraMachine } from "../../shared/contract/infra-machine.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import {
  claimantsOfNode,
  inCluster,
  inClusterReferencing,
  itself,
  referencing,
} from "../../shared/function/mappings.ts";
import { done } from "../../shared/function/result.ts";
import { isDeleting } from "../../shared/rules/metadata/deletion.ts";
import { PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { PAUSE_FIELDS } from "../../shared/rules/metadata/paused.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { OWN_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { detach } from "./rules/detach.ts";
import { POD_FIELDS } from "./rules/drain-plan.ts";
import { drainPods } from "./rules/drain-pods.ts";
import { DRAINED_NODE_FIELDS, REACH_FIELDS } from "./rules/drain-reads.ts";
import { applied } from "./rules/drain-report.ts";
import { RULE_FIELDS } from "./rules/drain-rules.ts";
import { holdOf, isDecided, type Scene } from "./rules/drain-scene.ts";
import { TIMER_FIELDS } from "./rules/drain-timers.ts";
import { isBehindDrain, TURN_FIELDS, type TurnFacts, WORD_FIELDS } from "./rules/drain-turn.ts";
import { HOOK_FIELDS } from "./rules/hooks.ts";
import {
  HANDLED_FIELDS,
  HANDLING_CLUSTER_FIELDS,
  HANDLING_CONTROL_PLANE_FIELDS,
  HANDLING_MACHINE_FIELDS,
} from "./rules/node-handling.ts";
import { readHandling } from "./rules/read-handling.ts";
import { stageAfterDrain } from "./rules/stage.ts";
import { ATTACHMENT_FIELDS, NODE_VOLUME_FIELDS, POD_VOLUME_FIELDS, VOLUME_FIELDS } from "./rules/volumes.ts";

/** They write other conditions of a Machine, each its own. */
const OTHER_WRITERS = ["machinepool-remediate", "machineset-remediate"];

export const machineDrain = defineFunction<Machine, "status">(
  {
    name: "machine-drain",
    summary: "Empties the Node of a deleted Machine: its Pods leave, then its volumes are detached.",
    source: "core/reconcilers/machine/machine_controller.go",
    reconciles: Machine,
    actsOn: "deleting",
    isIdle: isBehindDrain,
    watches: [
      watch(
        Machine,
        [
          ...TURN_FIELDS,
          ...WORD_FIELDS,
          ...PAUSE_FIELDS,
          ...HOOK_FIELDS,
          ...HANDLED_FIELDS,
          ...TIMER_FIELDS,
          "spec.providerID",
        ],
        itself,
      ),
      watch(Cluster, [...PAUSING_FIELDS, ...HANDLING_CLUSTER_FIELDS], inCluster),
      watch(Connection, REACH_FIELDS, inCluster),
      watch(Node, ["spec.providerID", ...DRAINED_NODE_FIELDS], claimantsOfNode),
      watchContract(InfraMachine, ["metadata.deletionTimestamp", ...OWN_FIELDS], referencing),
      watchContract(ControlPlane, HANDLING_CONTROL_PLANE_FIELDS, inClusterReferencing),
    ],
    reads: [
      // Another Machine that goes must not wake a thousand: the drain looks again while Pods are left.
      { on: Machine, fields: HANDLING_MACHINE_FIELDS },
      { on: Node, fields: NODE_VOLUME_FIELDS, liveOnly: true },
      { on: Pod, fields: [...POD_FIELDS, ...POD_VOLUME_FIELDS] },
      { on: VolumeAttachment, fields: ATTACHMENT_FIELDS },
      { on: PersistentVolume, fields: VOLUME_FIELDS },
      { on: MachineDrainRule, fields: RULE_FIELDS },
    ],
    readsLive: [Pod, DaemonSet, Namespace, VolumeAttachment, PersistentVolume, MachineDrainRule],
    owns: ["status"],
    ownsOn: [{ kind: Node, fields: ["spec.unschedulable"] }],
    inTurnWith: [
      {
        function: "machine-status",
        on: Machine,
        field: "status",
        reason:
          "machine-drain writes Deleting in its turn (drainTurn) and its start times, machine-status the rest",
      },
      ...OTHER_WRITERS.map((other) => ({
        function: other,
        on: Machine,
        field: "status",
        reason: "machine-drain applies the condition Deleting and its own start times, nothing else",
      })),
    ],
    calls: [{ verb: "evict", kind: Pod }],
    // Most of a run is waiting for lists: five at once were the limit of a thousand deletions in one Cluster.
    queue: { concurrency: 40, maxRunningPerTenant: 10 },
  },
  async (machine, { read, now }) => {
    if (!isDeleting(machine)) return { result: done };
    const cluster = await readCluster(read, machine);
    const facts: TurnFacts = {
      cluster,
      handling: await readHandling(read, machine, cluster),
      infrastructure: await read.referenced(machine.spec.infrastructureRef, machine.metadata.namespace ?? ""),
    };
    const scene: Scene = { read, machine, now, facts, begun: [], events: [] };
    const hold = holdOf(facts, machine);
    if (hold !== undefined) return { result: hold };
    const drained = await drainPods(scene);
    if (isDecided(drained)) return drained;
    const detached = await detach({ ...scene, ...drained });
    if (isDecided(detached)) return detached;
    const { reason, message } = stageAfterDrain(machine, {
      ...facts,
      bootstrap: undefined,
      node: undefined,
      connection: undefined,
    });
    return { ...applied({ ...scene, ...detached }, reason, message), events: detached.events, result: done };
  },
);
