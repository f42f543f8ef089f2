import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { HOLD_FIELDS, isPaused, PAUSING_FIELDS } from "../../../../shared/function/guards.ts";
import { inCluster, itself, referenced, sameName } from "../../../../shared/function/mappings.ts";
import { done } from "../../../../shared/function/result.ts";
import { pausedCondition } from "../../../../shared/rules/conditions/paused-condition.ts";
import { CLUSTER_LABEL_FIELDS, readClusterByLabel } from "../../../../shared/rules/metadata/cluster-label.ts";
import { OWNER_FIELDS } from "../../../../shared/rules/metadata/read-owner.ts";
import { SimInstance } from "../../api/sim-cloud.ts";
import { SimMachine } from "../../api/sim-machine.ts";
import { INSTANCE_FIELDS } from "./rules/instances.ts";
import {
  MACHINE_STATUS,
  machineReport,
  OWN_MACHINE_FIELDS,
  OWN_MACHINE_READS,
  ownMachine,
} from "./rules/own-machine.ts";
import { isOfPool, poolMachine } from "./rules/pool-machine.ts";

export const simMachine = defineFunction<SimMachine, (typeof MACHINE_STATUS)[number]>(
  {
    name: "sim-machine",
    summary: "Makes or reports a simulated instance as an infrastructure machine and takes it down.",
    source: "own",
    reconciles: SimMachine,
    watches: [
      watch(
        SimMachine,
        ["metadata.uid", ...OWNER_FIELDS, ...HOLD_FIELDS, ...CLUSTER_LABEL_FIELDS, "spec"],
        itself,
      ),
      // An instance has the name of its SimMachine.
      watch(SimInstance, INSTANCE_FIELDS, sameName),
      watch(Machine, ["metadata.uid", "metadata.deletionTimestamp", ...OWN_MACHINE_FIELDS], referenced),
      watch(Cluster, [...PAUSING_FIELDS, "status.initialization.infrastructureProvisioned"], inCluster),
    ],
    blocks: [SimMachine],
    reads: [
      {
        on: SimInstance,
        fields: ["spec.providerID", "spec.failureDomain", "status.addresses", ...OWNER_FIELDS],
      },
      { on: Machine, fields: [...OWN_MACHINE_READS] },
    ],
    owns: MACHINE_STATUS,
    ownsOn: [{ kind: SimMachine, fields: ["metadata.finalizers", "spec.providerID"] }],
    calls: [
      { verb: "create", kind: SimInstance },
      { verb: "delete", kind: Machine },
      { verb: "delete", kind: SimMachine },
      { verb: "delete", kind: SimInstance },
    ],
    queue: { concurrency: 20 },
  },
  async (object, context) => {
    const cluster = await readClusterByLabel(context.read, object);
    const paused = pausedCondition(cluster, object, "SimMachine");
    if (isPaused(cluster, object)) {
      return { apply: machineReport(object, [paused], context.now), result: done };
    }
    return isOfPool(object)
      ? poolMachine(object, context, paused)
      : ownMachine(object, cluster, context, paused);
  },
);
