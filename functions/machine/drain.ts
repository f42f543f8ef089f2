import {
  DaemonSet,
  Machine,
  MachineDrainRule,
  Namespace,
  Node,
  PersistentVolume,
  Pod,
  VolumeAttachment,
} from "../../shared/api/entry.ts";
import { defineFunction, deleting, done, turn, unpaused } from "../../shared/function/define-function.ts";
import { detach } from "./rules/detach.ts";
import { drainPods } from "./rules/drain-pods.ts";
import { isDecided, type Scene } from "./rules/drain-scene.ts";
import { drainTurn, isBehindDrain, OTHER_WRITERS, type TurnFacts } from "./rules/drain-turn.ts";
import { readHandling } from "./rules/read-handling.ts";
import { DRAIN_READS, DRAIN_WATCHES } from "./rules/watches.ts";

export const machineDrain = defineFunction(
  {
    name: "machine-drain",
    summary: "Drains the Node of a deleted Machine: its Pods are evicted, then its volumes detached.",
    source: "core/reconcilers/machine/machine_controller.go",
    reconciles: Machine,
    actsOn: "deleting",
    when: [deleting, unpaused],
    isIdle: isBehindDrain,
    watches: DRAIN_WATCHES,
    reads: DRAIN_READS,
    readsLive: [Pod, DaemonSet, Namespace, VolumeAttachment, PersistentVolume, MachineDrainRule],
    owns: ["status"],
    ownsOn: [{ kind: Node, fields: ["spec.unschedulable"] }],
    inTurnWith: [
      turn(
        "machine-status",
        Machine,
        "status",
        "machine-drain writes Deleting in its turn (drainTurn) and its start times, machine-status the rest",
      ),
      turn(
        OTHER_WRITERS,
        Machine,
        "status",
        "machine-drain applies the condition Deleting and its own start times, nothing else",
      ),
    ],
    calls: [{ verb: "evict", kind: Pod }],
    // Most of a run is waiting for lists: five at once were the limit of a thousand deletions in one Cluster.
    queue: { concurrency: 40, maxRunningPerTenant: 10 },
  },
  async (machine, { read, now, cluster }) => {
    const facts: TurnFacts = {
      cluster,
      handling: await readHandling(read, machine, cluster),
      infrastructure: await read.referenced(machine.spec.infrastructureRef, machine.metadata.namespace ?? ""),
    };
    if (!drainTurn(machine, facts)) return { result: done };
    const scene: Scene = { read, machine, now, facts, begun: [], events: [] };
    const drained = await drainPods(scene);
    return isDecided(drained) ? drained : detach({ ...scene, ...drained });
  },
);
