import {
  Cluster,
  Machine,
  MachineDeployment,
  MachineSet,
  refTo,
  SET_FINALIZER,
} from "../../shared/api/entry.ts";
import { BootstrapTemplate, ControlPlane } from "../../shared/contract/entry.ts";
import {
  clusterLives,
  defineFunction,
  done,
  inCluster,
  inClusterReferencing,
  itself,
  ownedBy,
  setsOfMachine,
  turn,
  watch,
  watchContract,
  watchReferenced,
  workable,
} from "../../shared/function/define-function.ts";
import {
  isHandedOver,
  MARK_FIELDS,
  REMEDIATION_FIELDS,
  readOwner,
  URGENCY_FIELDS,
} from "../../shared/rules/entry.ts";
import {
  PREFLIGHT_CLUSTER_FIELDS,
  PREFLIGHT_FIELDS,
  preflight,
  SKIP_FIELDS,
} from "../../shared/rules/machines/preflight.ts";
import { readTemplates } from "../../shared/rules/providers/machine-providers.ts";
import { readControlPlane } from "../../shared/rules/providers/read-control-plane.ts";
import { isOwnMachine } from "./rules/machines.ts";
import { readMachines, readMachinesLive, SET_MACHINE_FIELDS } from "./rules/reads.ts";
import {
  BATCH_FIELDS,
  hasBatch,
  LIMIT_FIELDS,
  REVISION_FIELDS,
  SET_REMEDIATION_FIELDS,
  setRemediation,
} from "./rules/remediation.ts";

export const machinesetRemediate = defineFunction(
  {
    name: "machineset-remediate",
    summary: "Deletes the Machines of a MachineSet that health checks have handed over, within its limits.",
    source: "core/reconcilers/machineset/machineset_controller.go",
    reconciles: MachineSet,
    actsOn: "living",
    when: [...workable(SET_FINALIZER, { isIdle: false }), clusterLives],
    watches: [
      watch(MachineSet, SET_REMEDIATION_FIELDS, itself),
      watch(Cluster, [...PREFLIGHT_CLUSTER_FIELDS, "metadata.deletionTimestamp"], inCluster),
      watch(MachineDeployment, ["metadata.uid", ...REVISION_FIELDS, ...LIMIT_FIELDS], ownedBy),
      watchContract(ControlPlane, ["metadata.uid", ...PREFLIGHT_FIELDS], inClusterReferencing),
      watchReferenced([BootstrapTemplate, SKIP_FIELDS]),
      watch(Machine, [...SET_MACHINE_FIELDS, ...REMEDIATION_FIELDS], setsOfMachine),
    ],
    ownsOn: [
      { kind: MachineSet, fields: BATCH_FIELDS },
      { kind: Machine, fields: MARK_FIELDS },
    ],
    inTurnWith: [
      turn(
        "machinepool-remediate",
        Machine,
        "status",
        "each remediates the Machines that it controls, and a Machine has one controller",
      ),
    ],
    calls: [{ verb: "delete", kind: Machine, limited: true }],
    reads: [{ on: Machine, fields: [...URGENCY_FIELDS, "spec.clusterName"] }],
    // Machines of a set are often judged together: one run for all of them.
    queue: { settleMs: 50 },
  },
  async (set, { read, now, live }) => {
    const machines = (await readMachines(read, set)).filter((machine) => isOwnMachine(set, machine));
    if (!machines.some(isHandedOver) && !hasBatch(set)) return { result: done };

    const seen = await live();
    if ("result" in seen) return seen;
    const { object, cluster } = seen;
    const own = (await readMachinesLive(read.live, object, machines)).filter((machine) =>
      isOwnMachine(object, machine),
    );
    const [deployment, controlPlane, templates] = await Promise.all([
      readOwner(MachineDeployment, object, read),
      readControlPlane(read, cluster),
      readTemplates(read, object),
    ]);
    const blockers = preflight({ set: object, cluster, controlPlane, templates });
    const { patch, toDelete } = setRemediation({ set: object, machines: own, deployment, blockers, now });
    return {
      patch,
      delete: toDelete.map((machine) => ({ target: refTo(Machine, machine) })),
      result: done,
    };
  },
);
