import { MachineDeployment, MachineSet, refTo } from "../../shared/api/entry.ts";
import {
  defineFunction,
  deleting,
  deploymentOfSet,
  done,
  FINALIZERS,
  isDeleting,
  itself,
  unpaused,
  waitFor,
  watch,
} from "../../shared/function/define-function.ts";
import { removeFinalizerPatch } from "../../shared/rules/entry.ts";
import { isFreeingSets } from "./rules/deletion.ts";
import { DEPLOYMENT_FINALIZER } from "./rules/guard.ts";
import { readLiveSetsView, readSetsView } from "./rules/sets-view.ts";
import { MEMBER_FIELDS } from "./rules/watches.ts";

export const machinedeploymentDelete = defineFunction(
  {
    name: "machinedeployment-delete",
    summary: "Deletes the MachineSets of a deleted MachineDeployment, then lets it go.",
    source: "core/reconcilers/machinedeployment/machinedeployment_controller.go",
    reconciles: MachineDeployment,
    actsOn: "deleting",
    when: [deleting, unpaused],
    watches: [
      watch(MachineDeployment, ["metadata.uid", FINALIZERS, "spec.selector"], itself),
      watch(MachineSet, MEMBER_FIELDS, deploymentOfSet),
    ],
    releases: DEPLOYMENT_FINALIZER,
    calls: [{ verb: "delete", kind: MachineSet }],
    reads: [{ on: MachineSet, fields: ["spec.clusterName"] }],
  },
  async (snapshot, { read, live }) => {
    if (isFreeingSets(snapshot)) return { result: waitFor("MachineDeployment.metadata.finalizers") };
    const left = { result: waitFor("MachineSet.metadata.uid") };
    const known = await readSetsView(read, snapshot);
    // All are going: their end wakes the deployment, and only then the API server is asked whether one is left.
    if (known.own.length > 0 && known.own.every(isDeleting)) return left;

    const seen = await live();
    if ("result" in seen) return seen;
    const { object: deployment } = seen;
    if (isFreeingSets(deployment)) return { result: waitFor("MachineDeployment.metadata.finalizers") };
    const { own } = await readLiveSetsView(read.live, deployment, known);
    if (own.length > 0) {
      return {
        delete: own
          .filter((set) => !isDeleting(set))
          .map((set) => ({ target: { ...refTo(MachineSet, set), resourceVersion: undefined } })),
        ...left,
      };
    }
    return {
      patch: [
        {
          target: refTo(MachineDeployment, deployment),
          operations: removeFinalizerPatch(deployment, DEPLOYMENT_FINALIZER),
        },
      ],
      result: done,
    };
  },
);
