import { Machine, MachineSet, refTo, SET_FINALIZER } from "../../shared/api/entry.ts";
import {
  defineFunction,
  deleting,
  done,
  isDeleting,
  itself,
  setsOfMachine,
  unpaused,
  waitFor,
  watch,
} from "../../shared/function/define-function.ts";
import { removeFinalizerPatch } from "../../shared/rules/entry.ts";
import { machinesToDelete } from "./rules/deletion.ts";
import { readMachines, readMachinesLive, SET_MACHINE_FIELDS } from "./rules/reads.ts";

export const machinesetDelete = defineFunction(
  {
    name: "machineset-delete",
    summary: "Deletes the Machines of a deleted MachineSet, then its finalizer.",
    source: "core/reconcilers/machineset/machineset_controller.go",
    reconciles: MachineSet,
    actsOn: "deleting",
    when: [deleting, unpaused],
    watches: [
      watch(MachineSet, ["metadata.uid", "metadata.finalizers", "spec.selector"], itself),
      watch(Machine, SET_MACHINE_FIELDS, setsOfMachine),
    ],
    releases: SET_FINALIZER,
    calls: [{ verb: "delete", kind: Machine, limited: true }],
    reads: [{ on: Machine, fields: ["spec.clusterName"] }],
  },
  async (snapshot, { read, live }) => {
    const known = await readMachines(read, snapshot);
    const left = { result: waitFor("Machine.metadata.uid") };
    // All are going: their end wakes the set, and only then the API server is asked whether one is left.
    if (known.length > 0 && known.every(isDeleting)) return left;

    const seen = await live();
    if ("result" in seen) return seen;
    const { object: set } = seen;
    const machines = await readMachinesLive(read.live, set, known);
    if (machines.length > 0) {
      return {
        delete: machinesToDelete(machines).map((machine) => ({
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
