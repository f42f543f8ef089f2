import { Connection, Machine, MachinePool, Node } from "../../shared/api/entry.ts";
import { InfraMachine, InfraMachinePool } from "../../shared/contract/entry.ts";
import {
  claimantsOfNode,
  defineFunction,
  done,
  inCluster,
  isDeleting,
  itself,
  MINUTE,
  poolOfMachine,
  requeueAfter,
  watch,
  watchContract,
  watchReferenced,
  workable,
} from "../../shared/function/define-function.ts";
import { COMPLETE_VIEW_FIELDS, OWN_FIELDS, REFUSED_FIELDS } from "../../shared/rules/entry.ts";
import { KUBELET_FIELDS } from "./rules/counters.ts";
import { POOL_FINALIZER } from "./rules/guard.ts";
import { MACHINE_FIELDS, machineWrites } from "./rules/machine-writes.ts";
import {
  INFRA_MACHINE_FIELDS,
  infraMachineKindOf,
  MACHINE_KIND_FIELDS,
  machineFor,
  machineKeyOf,
  readInfraMachines,
  readPoolMachines,
  stayingInfraMachines,
} from "./rules/machines.ts";
import { NODE_FIELDS, readKubeletVersions, readProviders } from "./rules/reads.ts";

export const machinepoolMachines = defineFunction(
  {
    name: "machinepool-machines",
    summary: "Keeps one Machine per infrastructure machine of a MachinePool.",
    source: "core/reconcilers/machinepool/machinepool_controller_phases.go",
    reconciles: MachinePool,
    actsOn: "living",
    when: workable(POOL_FINALIZER),
    watches: [
      watch(
        MachinePool,
        [
          "metadata.uid",
          "spec.template.metadata",
          "spec.template.spec.infrastructureRef",
          "spec.providerIDList",
        ],
        itself,
      ),
      watchReferenced([InfraMachinePool, [...OWN_FIELDS, ...MACHINE_KIND_FIELDS]]),
      watchContract(InfraMachine, INFRA_MACHINE_FIELDS, poolOfMachine),
      watch(Machine, ["metadata.uid", "metadata.deletionTimestamp", ...MACHINE_FIELDS], poolOfMachine),
      watch(Node, [...NODE_FIELDS, ...KUBELET_FIELDS], claimantsOfNode),
      watch(Connection, COMPLETE_VIEW_FIELDS, inCluster),
    ],
    ownsOn: [
      { kind: Machine, fields: MACHINE_FIELDS },
      { kind: MachinePool, fields: REFUSED_FIELDS },
    ],
    // Instances and Nodes of a pool come together: one run for all of them.
    blocks: [MachinePool],
    queue: { settleMs: 50 },
  },
  async (pool, { read }) => {
    const { infrastructure } = await readProviders(read, pool);
    const kind = infraMachineKindOf(pool, infrastructure);
    if (kind === undefined || infrastructure.state !== "found") return { result: done };
    // The provider takes its Machines down itself now.
    if (isDeleting(infrastructure.object)) return { result: done };

    const infraMachines = await readInfraMachines(read, pool, { apiGroup: infrastructure.kind.group, kind });
    // Which definition is missing only the infrastructure object says: no watch leads from one to the other.
    if ("message" in infraMachines) return { result: requeueAfter(MINUTE, infraMachines.message) };
    const machines = await readPoolMachines(read, pool);
    const without = infraMachines.objects.filter((each) => machineFor(each, machines) === undefined);
    const inTheWay = await Promise.all(without.map((each) => read.get(Machine, machineKeyOf(each))));
    const vacant = without.filter((_, index) => inTheWay[index] === undefined);
    const staying = await stayingInfraMachines(read.live, pool, { ...infraMachines, objects: vacant });
    const shown = infraMachines.objects.filter((each) => !vacant.includes(each) || staying.includes(each));
    const writes = machineWrites({
      pool,
      infraMachines: { ...infraMachines, objects: shown },
      machines: [...machines, ...inTheWay.filter((machine) => machine !== undefined)],
      versionOf: await readKubeletVersions(read, pool, infraMachines),
    });
    return { ...writes, result: done };
  },
);
