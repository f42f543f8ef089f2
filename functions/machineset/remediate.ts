import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { objectKeyOf, refTo } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import { ControlPlane } from "../../shared/contract/control-plane.ts";
import { BootstrapTemplate } from "../../shared/contract/machine-templates.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import {
  inCluster,
  inClusterReferencing,
  itself,
  ownedBy,
  referencing,
  referencingKind,
  setsOfMachine,
} from "../../shared/function/mappings.ts";
import { done } from "../../shared/function/result.ts";
import { REMEDIATION_FIELDS } from "../../shared/rules/machines/machine-conditions.ts";
import { isHandedOver, MARK_FIELDS, URGENCY_FIELDS } from "../../shared/rules/machines/remediation.ts";
import { isDeleting } from "../../shared/rules/metadata/deletion.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { OWNER_FIELDS, readOwner } from "../../shared/rules/metadata/read-owner.ts";
import { readControlPlane } from "../../shared/rules/providers/read-control-plane.ts";
import { setHold } from "./rules/hold.ts";
import { isOwnMachine } from "./rules/machines.ts";
import { PREFLIGHT_CLUSTER_FIELDS, PREFLIGHT_FIELDS, preflight, SKIP_FIELDS } from "./rules/preflight.ts";
import { readMachines, readMachinesLive, readTemplates, SET_MACHINE_FIELDS } from "./rules/reads.ts";
import {
  BATCH_FIELDS,
  hasBatch,
  LIMIT_FIELDS,
  REVISION_FIELDS,
  setRemediation,
} from "./rules/remediation.ts";

export const machinesetRemediate = defineFunction(
  {
    name: "machineset-remediate",
    summary: "Deletes the Machines of a MachineSet that health checks have handed over, within its limits.",
    source: "core/reconcilers/machineset/machineset_controller.go",
    reconciles: MachineSet,
    actsOn: "living",
    watches: [
      watch(
        MachineSet,
        [
          "metadata.uid",
          ...HOLD_FIELDS,
          ...OWNER_FIELDS,
          ...BATCH_FIELDS,
          ...REVISION_FIELDS,
          ...SKIP_FIELDS,
          "spec.selector",
          "spec.template.spec",
        ],
        itself,
      ),
      watch(
        Cluster,
        [...PAUSING_FIELDS, ...PREFLIGHT_CLUSTER_FIELDS, "metadata.deletionTimestamp"],
        inCluster,
      ),
      watch(MachineDeployment, ["metadata.uid", ...REVISION_FIELDS, ...LIMIT_FIELDS], ownedBy),
      watchContract(ControlPlane, ["metadata.uid", ...PREFLIGHT_FIELDS], inClusterReferencing),
      watchContract(BootstrapTemplate, ["metadata.uid", ...SKIP_FIELDS], referencing),
      watch(Machine, [...SET_MACHINE_FIELDS, ...REMEDIATION_FIELDS], setsOfMachine),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
    ],
    owns: [],
    ownsOn: [
      { kind: MachineSet, fields: BATCH_FIELDS },
      { kind: Machine, fields: MARK_FIELDS },
    ],
    inTurnWith: [
      {
        function: "machinepool-remediate",
        on: Machine,
        field: "status",
        reason: "each remediates the Machines that it controls, and a Machine has one controller",
      },
    ],
    calls: [{ verb: "delete", kind: Machine, limited: true }],
    reads: [{ on: Machine, fields: [...URGENCY_FIELDS, "spec.clusterName"] }],
    // Machines of a set are often judged together: one run for all of them.
    queue: { settleMs: 50 },
  },
  async (set, { read, now }) => {
    const known = await readCluster(read, set);
    const hold = setHold(set, known);
    if (hold !== undefined || known === undefined) return { result: hold ?? done };
    const machines = (await readMachines(read, set)).filter((machine) => isOwnMachine(set, machine));
    if (isDeleting(known) || !(machines.some(isHandedOver) || hasBatch(set))) return { result: done };

    const live = await read.live.get(MachineSet, objectKeyOf(set));
    const cluster = live === undefined ? undefined : await readCluster(read.live, live);
    if (live === undefined || live.metadata.uid !== set.metadata.uid || cluster === undefined) {
      return { result: done };
    }
    const liveHold = setHold(live, cluster);
    if (liveHold !== undefined || isDeleting(cluster)) return { result: liveHold ?? done };

    const own = (await readMachinesLive(read.live, live, machines)).filter((machine) =>
      isOwnMachine(live, machine),
    );
    const [deployment, controlPlane, templates] = await Promise.all([
      readOwner(MachineDeployment, live, read),
      readControlPlane(read, cluster),
      readTemplates(read, live),
    ]);
    const blockers = preflight({ set: live, cluster, controlPlane, templates });
    const { patch, doomed } = setRemediation({ set: live, machines: own, deployment, blockers, now });
    return {
      patch,
      delete: doomed.map((machine) => ({ target: refTo(Machine, machine) })),
      result: done,
    };
  },
);
