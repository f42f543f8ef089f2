import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import { ControlPlane } from "../../shared/contract/control-plane.ts";
import { BootstrapTemplate, InfraMachineTemplate } from "../../shared/contract/machine-templates.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import {
  inCluster,
  inClusterReferencing,
  itself,
  referencing,
  referencingKind,
  setsOfMachine,
} from "../../shared/function/mappings.ts";
import { waitFor } from "../../shared/function/result.ts";
import { DEPRECATED_CONDITIONS } from "../../shared/rules/conditions/deprecated-conditions.ts";
import { MACHINE_CONDITION_FIELDS } from "../../shared/rules/machines/machine-conditions.ts";
import { STALE_FIELDS } from "../../shared/rules/machines/stale-machines.ts";
import { isDeleting } from "../../shared/rules/metadata/deletion.ts";
import { HOLD_FIELDS, PAUSING_FIELDS, unguarded } from "../../shared/rules/metadata/hold.ts";
import { pausedBy } from "../../shared/rules/metadata/paused.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { REFUSED_FIELDS } from "../../shared/rules/metadata/refused-write.ts";
import { ADOPTED_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { heldBack } from "../../shared/rules/status/held-back.ts";
import { COUNTER_FIELDS } from "./rules/counters.ts";
import { SET_FINALIZER } from "./rules/hold.ts";
import { PREFLIGHT_CLUSTER_FIELDS, PREFLIGHT_FIELDS, SKIP_FIELDS } from "./rules/preflight.ts";
import { SET_MACHINE_FIELDS } from "./rules/reads.ts";
import { SCALING_FIELDS } from "./rules/scaling.ts";
import { pausedSetStatus, setReport } from "./rules/status.ts";
import { readStatusView } from "./rules/view.ts";
import { setWritesDue } from "./rules/writes-due.ts";

export const machinesetStatus = defineFunction(
  {
    name: "machineset-status",
    summary: "Computes the status of a MachineSet: selector, counters, versions, conditions.",
    source: "core/reconcilers/machineset/machineset_controller_status.go",
    reconciles: MachineSet,
    watches: [
      watch(
        MachineSet,
        [
          "metadata.uid",
          ...HOLD_FIELDS,
          ...ADOPTED_FIELDS,
          ...SCALING_FIELDS,
          ...SKIP_FIELDS,
          ...REFUSED_FIELDS,
          "spec",
          "status",
        ],
        itself,
      ),
      watch(Cluster, [...PAUSING_FIELDS, ...PREFLIGHT_CLUSTER_FIELDS], inCluster),
      watchContract(ControlPlane, ["metadata.uid", ...PREFLIGHT_FIELDS], inClusterReferencing),
      watchContract(BootstrapTemplate, ["metadata.uid", ...SKIP_FIELDS], referencing),
      watchContract(InfraMachineTemplate, ["metadata.uid"], referencing),
      watch(
        Machine,
        [
          ...SET_MACHINE_FIELDS,
          ...MACHINE_CONDITION_FIELDS,
          `${DEPRECATED_CONDITIONS}[Ready]`,
          ...COUNTER_FIELDS,
          ...STALE_FIELDS,
        ],
        setsOfMachine,
      ),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
    ],
    owns: ["status"],
    reads: [{ on: Machine, fields: ["spec.clusterName"] }],
    queue: { settleMs: 50, minIntervalMs: SECOND },
  },
  async (set, context) => {
    const { now } = context;
    const cluster = await readCluster(context.read, set);
    if (cluster === undefined && !isDeleting(set)) return { result: waitFor("Cluster.metadata.uid") };
    const unready = unguarded(set, SET_FINALIZER);
    if (unready !== undefined) return { result: unready };
    const pause = pausedBy(cluster, set);
    if (pause !== undefined) {
      return { apply: { status: pausedSetStatus(set, cluster, now) }, result: waitFor(pause) };
    }
    const held = heldBack(set, now);
    if (held !== undefined && setWritesDue(set, cluster)) return { result: held };

    const { status, events, result } = setReport(await readStatusView(context, set, cluster));
    return { apply: { status }, events, result };
  },
);
