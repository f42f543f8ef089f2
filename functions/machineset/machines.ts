import { Machine, MachineSet, SET_FINALIZER } from "../../shared/api/entry.ts";
import { BootstrapConfig, InfraMachine } from "../../shared/contract/entry.ts";
import { clusterLives, defineFunction, done, turn, workable } from "../../shared/function/define-function.ts";
import { KEY_FIELDS, OWNER_FIELDS, REFUSED_FIELDS } from "../../shared/rules/entry.ts";
import { IN_PLACE_FIELDS } from "../../shared/rules/machines/in-place.ts";
import { RESERVATION_FIELDS } from "../../shared/rules/machines/reservation.ts";
import { readLiveView, readView } from "./rules/machines-view.ts";
import { isWhole } from "./rules/problems.ts";
import { isReplicaWorkDue, replicaWork } from "./rules/replica-work.ts";
import { adoptions, outOfSync, syncPatches, untilFollowed } from "./rules/sync.ts";
import { SET_VIEW_READS, SET_VIEW_WATCHES } from "./rules/watches.ts";

export const machinesetMachines = defineFunction(
  {
    name: "machineset-machines",
    summary: "Keeps the right number of Machines of a MachineSet, with the fields of its template.",
    source: "core/reconcilers/machineset/machineset_controller.go",
    reconciles: MachineSet,
    actsOn: "living",
    when: [...workable(SET_FINALIZER, { isIdle: false }), clusterLives, isWhole],
    watches: SET_VIEW_WATCHES,
    ownsOn: [
      { kind: MachineSet, fields: [...RESERVATION_FIELDS, ...REFUSED_FIELDS] },
      { kind: Machine, fields: [...IN_PLACE_FIELDS, ...OWNER_FIELDS] },
      { kind: BootstrapConfig, fields: KEY_FIELDS, liveOnly: true },
      { kind: InfraMachine, fields: KEY_FIELDS, liveOnly: true },
    ],
    inTurnWith: [
      turn(
        "machinepool-machines",
        Machine,
        "metadata",
        "a Machine has one controller: each of the two writes those that it controls or adopts",
      ),
      turn(
        "machinepool-adopt",
        BootstrapConfig,
        "metadata.labels[cluster.x-k8s.io/cluster-name]",
        "a config has one controller: that of a pool is the pool's, that of a Machine of a set the set's",
      ),
    ],
    calls: [
      { verb: "create", kind: Machine },
      { verb: "delete", kind: Machine, limited: true },
      { verb: "create", kind: BootstrapConfig },
      { verb: "create", kind: InfraMachine },
    ],
    blocks: [MachineSet, Machine],
    reads: SET_VIEW_READS,
    // Sizes and availability of a rollout change several times within a moment: one run for all.
    queue: { settleMs: 50 },
  },
  async (set, { read, now, cluster, live }) => {
    const known = await readView(read, set, cluster);
    const isDue = adoptions(known).length > 0 || outOfSync(known).length > 0 || isReplicaWorkDue(known, now);
    if (!isDue) return { result: done };

    const seen = await live();
    if ("result" in seen) return seen;
    const view = await readLiveView(read, seen.object, seen.cluster, known);
    // Adopted and synced before anything is counted: a run that does it does only that.
    const adopted = adoptions(view);
    if (adopted.length > 0) return { patch: adopted, result: done };
    const patches = await Promise.all(
      outOfSync(view).map((machine) => syncPatches(read.live, view.set, machine)),
    );
    const due = patches.flat().filter(({ operations }) => operations.length > 0);
    if (due.length > 0) return { patch: due, result: untilFollowed(due) };
    return replicaWork(read, view, now);
  },
);
