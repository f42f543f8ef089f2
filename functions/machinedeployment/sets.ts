import { Cluster, MachineDeployment, MachineSet } from "../../shared/api/entry.ts";
import { BootstrapTemplate, InfraMachineTemplate } from "../../shared/contract/entry.ts";
import {
  clusterLives,
  defineFunction,
  deploymentOfSet,
  done,
  inCluster,
  itself,
  SECOND,
  turn,
  waitFor,
  watch,
  watchReferenced,
  workable,
} from "../../shared/function/define-function.ts";
import { KEY_FIELDS, OWNER_FIELDS } from "../../shared/rules/entry.ts";
import { REVISION } from "../../shared/rules/machines/annotations.ts";
import { PLANNED_FIELDS } from "../../shared/rules/rollout/plan-input.ts";
import { DEPLOYMENT_FINALIZER } from "./rules/guard.ts";
import { IN_PLACE_FIELDS } from "./rules/in-place.ts";
import { awaitedTemplate, setToMake } from "./rules/making-set.ts";
import { readLiveSetsView, readSetsView } from "./rules/sets-view.ts";
import { isSetDue, isWorkDue, setsWork, untilNext } from "./rules/sets-work.ts";

export const machinedeploymentSets = defineFunction(
  {
    name: "machinedeployment-sets",
    summary: "Keeps one MachineSet per template, and rolls from the old ones to the current one.",
    source: "core/reconcilers/machinedeployment/machinedeployment_sync.go",
    reconciles: MachineDeployment,
    actsOn: "living",
    when: [...workable(DEPLOYMENT_FINALIZER, { isIdle: false }), clusterLives],
    clusterMayLag: true,
    watches: [
      watch(MachineDeployment, ["metadata.uid", ...KEY_FIELDS, "spec"], itself),
      watch(MachineSet, ["metadata.uid", ...KEY_FIELDS, ...OWNER_FIELDS, ...PLANNED_FIELDS], deploymentOfSet),
      watchReferenced([BootstrapTemplate, []], [InfraMachineTemplate, []]),
      watch(Cluster, ["metadata.deletionTimestamp"], inCluster),
    ],
    ownsOn: [
      { kind: MachineSet, fields: [...IN_PLACE_FIELDS, ...OWNER_FIELDS, "spec.replicas"] },
      { kind: MachineDeployment, fields: [`metadata.annotations[${REVISION}]`] },
    ],
    inTurnWith: [
      turn(
        "machineset-guard",
        MachineSet,
        ["metadata", "spec.replicas", "spec.template.metadata.labels"],
        "the guard gives what a set lacks: none of it, where the deployment has made the set",
      ),
      turn(
        ["machineset-machines", "machineset-remediate"],
        MachineSet,
        "metadata.annotations",
        "each writes keys of its own, and the deployment passes none of them on",
      ),
    ],
    calls: [
      { verb: "create", kind: MachineSet },
      { verb: "delete", kind: MachineSet },
    ],
    blocks: [MachineDeployment],
    // A create cannot test the sets that it depends on.
    queue: { freshMs: 5 * SECOND },
  },
  async (snapshot, { read, now, live }) => {
    const known = setsWork(await readSetsView(read, snapshot), now);
    if (!isWorkDue(known)) return { result: untilNext(known, now) };
    const missing = isSetDue(known) ? await awaitedTemplate(read, snapshot) : undefined;
    if (missing !== undefined) return { result: waitFor(missing) };

    const seen = await live();
    if ("result" in seen) return seen;
    const { object: deployment } = seen;
    const work = setsWork(await readLiveSetsView(read.live, deployment, known.view), now);
    // Adopted before anything is counted: a run that adopts only adopts.
    if (work.adoptions.length > 0) return { patch: work.adoptions, result: done };
    if (!isSetDue(work)) return { ...work.writes, result: untilNext(work, now) };

    const awaited = await awaitedTemplate(read.live, deployment);
    if (awaited !== undefined) return { result: waitFor(awaited) };
    const create = await setToMake(read.live, work);
    return { create, ...work.writes, result: untilNext(work, now) };
  },
);
