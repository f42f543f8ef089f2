import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { InfraMachinePool } from "../../shared/contract/infra-machine-pool.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import { inCluster, itself, poolOfMachine, referencing } from "../../shared/function/mappings.ts";
import { done, failed, waitFor } from "../../shared/function/result.ts";
import { REMEDIATION_FIELDS } from "../../shared/rules/machines/machine-conditions.ts";
import { isHandedOver, MARK_FIELDS, URGENCY_FIELDS } from "../../shared/rules/machines/remediation.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { OWNER_FIELDS } from "../../shared/rules/metadata/read-owner.ts";
import { isUnguarded, poolHold } from "./rules/hold.ts";
import {
  infraMachineKindOf,
  MACHINE_KIND_FIELDS,
  OWN_MACHINE_FIELDS,
  readOwnMachines,
  readOwnMachinesLive,
} from "./rules/machines.ts";
import { readLive, readProviders } from "./rules/reads.ts";
import { poolRemediation, REMEDIATION_LIMIT, remediationLimit } from "./rules/remediation.ts";

export const machinepoolRemediate = defineFunction(
  {
    name: "machinepool-remediate",
    summary:
      "Deletes unhealthy Machines of a MachinePool, one at a time or as many as its annotation allows.",
    source: "own",
    reconciles: MachinePool,
    isIdle: isUnguarded,
    watches: [
      watch(
        MachinePool,
        [
          ...HOLD_FIELDS,
          "metadata.annotations[capstan.dev/remediation-max-in-flight]",
          "spec.replicas",
          "spec.template.spec.infrastructureRef",
        ],
        itself,
      ),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watchContract(InfraMachinePool, ["metadata.uid", ...OWNER_FIELDS, ...MACHINE_KIND_FIELDS], referencing),
      watch(
        Machine,
        [...OWN_MACHINE_FIELDS, "metadata.deletionTimestamp", ...REMEDIATION_FIELDS],
        poolOfMachine,
      ),
    ],
    owns: [],
    ownsOn: [
      {
        kind: Machine,
        fields: MARK_FIELDS,
      },
    ],
    calls: [{ verb: "delete", kind: Machine, limited: true }],
    reads: [{ on: Machine, fields: URGENCY_FIELDS }],
    // Machines of a pool are often judged together: one run for all of them.
    queue: { settleMs: 50 },
  },
  async (pool, { read, now }) => {
    const limit = remediationLimit(pool);
    if (limit === "malformed") {
      const message = `annotation ${REMEDIATION_LIMIT} is neither a count nor a percentage; set it to 1 or 20%`;
      return { result: failed("InvalidSpec", message) };
    }
    const hold = poolHold(pool, await readCluster(read, pool));
    if (hold !== undefined) return { result: hold };
    const { infrastructure } = await readProviders(read, pool);
    // Without Machines of its own the provider cannot delete single instances.
    if (infraMachineKindOf(pool, infrastructure) === undefined) return { result: done };
    if (!(await readOwnMachines(read, pool)).some(isHandedOver)) return { result: done };

    const live = await readLive(read, pool);
    if (live === undefined) return { result: done };
    const liveHold = poolHold(live.pool, live.cluster);
    if (liveHold !== undefined) return { result: liveHold };
    const liveLimit = remediationLimit(live.pool);
    if (typeof liveLimit !== "number") return { result: waitFor("MachinePool.metadata.annotations") };

    const { marks, doomed } = poolRemediation(
      await readOwnMachinesLive(read.live, live.pool),
      liveLimit,
      now,
    );
    const remove = doomed.map((machine) => ({ target: refTo(Machine, machine) }));
    return { patch: marks, delete: remove, result: done };
  },
);
