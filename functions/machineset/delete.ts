import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { objectKeyOf, refTo } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import { defineFunction, watch } from "../../shared/function/define-function.ts";
import { inCluster, itself, setsOfMachine } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { isDeleting } from "../../shared/rules/metadata/deletion.ts";
import { removeFinalizerPatch } from "../../shared/rules/metadata/finalizers.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { pausedBy } from "../../shared/rules/metadata/paused.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { doomedMachines } from "./rules/deletion.ts";
import { SET_FINALIZER } from "./rules/hold.ts";
import { readMachines, readMachinesLive, SET_MACHINE_FIELDS } from "./rules/reads.ts";

export const machinesetDelete = defineFunction(
  {
    name: "machineset-delete",
    summary: "Deletes the Machines of a deleted MachineSet, then lets it go.",
    source: "core/reconcilers/machineset/machineset_controller.go",
    reconciles: MachineSet,
    actsOn: "deleting",
    watches: [
      watch(MachineSet, ["metadata.uid", ...HOLD_FIELDS, "spec.selector"], itself),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watch(Machine, SET_MACHINE_FIELDS, setsOfMachine),
    ],
    owns: [],
    ownsOn: [{ kind: MachineSet, fields: ["metadata.finalizers"] }],
    inTurnWith: [
      {
        function: "machineset-guard",
        on: MachineSet,
        field: "metadata.finalizers",
        reason: "the guard adds its finalizer before the deletion, delete removes it at the end of it",
      },
    ],
    calls: [{ verb: "delete", kind: Machine, limited: true }],
    reads: [{ on: Machine, fields: ["spec.clusterName"] }],
  },
  async (snapshot, { read }) => {
    if (!isDeleting(snapshot)) return { result: done };
    const pause = pausedBy(await readCluster(read, snapshot), snapshot);
    if (pause !== undefined) return { result: waitFor(pause) };
    const known = await readMachines(read, snapshot);
    const left = { result: waitFor("Machine.metadata.uid") };
    // All are going: their end wakes the set, and only then the API server is asked whether one is left.
    if (known.length > 0 && known.every(isDeleting)) return left;

    const set = await read.live.get(MachineSet, objectKeyOf(snapshot));
    if (set === undefined || set.metadata.uid !== snapshot.metadata.uid) return { result: done };
    const livePause = pausedBy(await readCluster(read.live, set), set);
    if (livePause !== undefined) return { result: waitFor(livePause) };
    const machines = await readMachinesLive(read.live, set, known);
    if (machines.length > 0) {
      return {
        delete: doomedMachines(machines).map((machine) => ({
          target: { ...refTo(Machine, machine), resourceVersion: undefined },
        })),
        ...left,
      };
    }
    return {
      patch: [{ target: refTo(MachineSet, set), operations: removeFinalizerPatch(set, SET_FINALIZER) }],
      result: done,
    };
  },
);
