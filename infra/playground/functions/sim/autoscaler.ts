import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { refTo } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { PAUSE_FIELDS, PAUSING_FIELDS, pausedBy, readCluster } from "../../../../shared/function/guards.ts";
import { inCluster, itself, ownedBy } from "../../../../shared/function/mappings.ts";
import { done, waitFor } from "../../../../shared/function/result.ts";
import { OWNER_FIELDS, readOwner } from "../../../../shared/rules/metadata/read-owner.ts";
import { isManagedOutside, MANAGED_FIELDS } from "../../../../shared/rules/providers/replicas-managed.ts";
import { SimMachinePool } from "../../api/sim-machinepool.ts";

export const simAutoscaler = defineFunction(
  {
    name: "sim-autoscaler",
    summary: "Sets the replicas of a MachinePool whose replicas are managed from outside.",
    source: "own",
    reconciles: SimMachinePool,
    watches: [
      watch(
        SimMachinePool,
        ["metadata.uid", ...OWNER_FIELDS, ...PAUSE_FIELDS, "status.ready", "status.replicas"],
        itself,
      ),
      watch(
        MachinePool,
        ["metadata.uid", "metadata.deletionTimestamp", ...MANAGED_FIELDS, "spec.replicas"],
        ownedBy,
      ),
      watch(Cluster, PAUSING_FIELDS, inCluster),
    ],
    owns: [],
    ownsOn: [{ kind: MachinePool, fields: ["spec.replicas"] }],
    inTurnWith: [
      {
        function: "machinepool-guard",
        on: MachinePool,
        field: "spec.replicas",
        reason:
          "the guard writes a default once where the field is absent, this one where replicas are managed from outside",
      },
    ],
  },
  async (object, { read }) => {
    const pool = await readOwner(MachinePool, object, read);
    if (pool === undefined || pool.metadata.deletionTimestamp !== undefined) return { result: done };
    if (!isManagedOutside(pool)) return { result: done };
    const cluster = await readCluster(read, pool);
    const pause = pausedBy(cluster, object);
    if (pause !== undefined) return { result: waitFor(pause) };

    const { ready, replicas } = object.status ?? {};
    if (ready !== true || replicas === undefined)
      return { result: waitFor("SimMachinePool.status.replicas") };
    const operations =
      pool.spec.replicas === replicas
        ? []
        : [{ op: "add", path: "/spec/replicas", value: replicas } as const];
    return { patch: [{ target: refTo(MachinePool, pool), operations }], result: done };
  },
);
