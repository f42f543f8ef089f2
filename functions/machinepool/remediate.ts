import { Machine, MachinePool, refTo } from "../../shared/api/entry.ts";
import { InfraMachinePool } from "../../shared/contract/entry.ts";
import {
  defineFunction,
  done,
  itself,
  poolOfMachine,
  referencing,
  watch,
  watchContract,
  workable,
} from "../../shared/function/define-function.ts";
import {
  isHandedOver,
  MARK_FIELDS,
  OWNER_FIELDS,
  REMEDIATION_FIELDS,
  URGENCY_FIELDS,
} from "../../shared/rules/entry.ts";
import { POOL_FINALIZER } from "./rules/guard.ts";
import {
  infraMachineKindOf,
  MACHINE_KIND_FIELDS,
  OWN_MACHINE_FIELDS,
  readOwnMachines,
  readOwnMachinesLive,
} from "./rules/machines.ts";
import { readProviders } from "./rules/reads.ts";
import { limited, poolRemediation, remediationLimit } from "./rules/remediation.ts";

export const machinepoolRemediate = defineFunction(
  {
    name: "machinepool-remediate",
    summary:
      "Deletes unhealthy Machines of a MachinePool, one at a time or as many as its annotation allows.",
    source: "own",
    reconciles: MachinePool,
    when: [limited, ...workable(POOL_FINALIZER)],
    watches: [
      watch(MachinePool, ["spec.replicas", "spec.template.spec.infrastructureRef"], itself),
      watchContract(InfraMachinePool, ["metadata.uid", ...OWNER_FIELDS, ...MACHINE_KIND_FIELDS], referencing),
      watch(
        Machine,
        [...OWN_MACHINE_FIELDS, "metadata.deletionTimestamp", ...REMEDIATION_FIELDS],
        poolOfMachine,
      ),
    ],
    ownsOn: [{ kind: Machine, fields: MARK_FIELDS }],
    calls: [{ verb: "delete", kind: Machine, limited: true }],
    reads: [{ on: Machine, fields: URGENCY_FIELDS }],
    // Machines of a pool are often judged together: one run for all of them.
    queue: { settleMs: 50 },
  },
  async (pool, { read, now, live }) => {
    const { infrastructure } = await readProviders(read, pool);
    // Without Machines of its own the provider cannot delete single instances.
    if (infraMachineKindOf(pool, infrastructure) === undefined) return { result: done };
    if (!(await readOwnMachines(read, pool)).some(isHandedOver)) return { result: done };

    const seen = await live();
    if ("result" in seen) return seen;
    const { marks, toDelete } = poolRemediation(
      await readOwnMachinesLive(read.live, seen.object),
      remediationLimit(seen.object) ?? 0,
      now,
    );
    const remove = toDelete.map((machine) => ({ target: refTo(Machine, machine) }));
    return { patch: marks, delete: remove, result: done };
  },
);
