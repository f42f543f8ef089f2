import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { Connection, CustomResourceDefinition, Node } from "../../shared/api/core.ts";
import { type KubeObject, workloadCluster } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { readString } from "../../shared/contract/fields.ts";
import { InfraMachine, infraMachinePath, infraMachinePaths } from "../../shared/contract/infra-machine.ts";
import { InfraMachinePool } from "../../shared/contract/infra-machine-pool.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import { MINUTE } from "../../shared/function/backoff.ts";
import {
  defineFunction,
  type StepContext,
  watch,
  watchContract,
} from "../../shared/function/define-function.ts";
import {
  claimantsOfNode,
  inCluster,
  itself,
  poolOfMachine,
  referencing,
  referencingKind,
} from "../../shared/function/mappings.ts";
import { done, requeueAfter } from "../../shared/function/result.ts";
import { POOL_LABEL_FIELDS } from "../../shared/rules/machines/pool-labels.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { clusterKeyOf, readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { REFUSED_FIELDS } from "../../shared/rules/metadata/refused-write.ts";
import { OWN_FIELDS } from "../../shared/rules/providers/adoption.ts";
import { COMPLETE_VIEW_FIELDS } from "../../shared/rules/workload/complete-view.ts";
import { KUBELET_FIELDS } from "./rules/counters.ts";
import { isUnguarded, poolHold } from "./rules/hold.ts";
import { MACHINE_FIELDS, machineWrites } from "./rules/machine-writes.ts";
import {
  type InfraMachines,
  infraMachineKindOf,
  MACHINE_KIND_FIELDS,
  machineFor,
  machineKeyOf,
  readInfraMachines,
  readPoolMachines,
  stayingInfraMachines,
} from "./rules/machines.ts";
import { hasCompleteView, NODE_FIELDS, readProviders } from "./rules/reads.ts";

export const machinepoolMachines = defineFunction(
  {
    name: "machinepool-machines",
    summary: "Keeps one Machine per infrastructure machine of a MachinePool.",
    source: "core/reconcilers/machinepool/machinepool_controller_phases.go",
    reconciles: MachinePool,
    actsOn: "living",
    isIdle: isUnguarded,
    watches: [
      watch(
        MachinePool,
        [
          "metadata.uid",
          ...HOLD_FIELDS,
          "spec.template.metadata",
          "spec.template.spec.infrastructureRef",
          "spec.providerIDList",
        ],
        itself,
      ),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watchContract(InfraMachinePool, [...OWN_FIELDS, ...MACHINE_KIND_FIELDS], referencing),
      watchContract(
        InfraMachine,
        [
          "metadata.uid",
          "metadata.deletionTimestamp",
          ...POOL_LABEL_FIELDS,
          ...infraMachinePaths("providerID"),
        ],
        poolOfMachine,
      ),
      watch(Machine, ["metadata.uid", "metadata.deletionTimestamp", ...MACHINE_FIELDS], poolOfMachine),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
      watch(Node, [...NODE_FIELDS, ...KUBELET_FIELDS], claimantsOfNode),
      watch(Connection, COMPLETE_VIEW_FIELDS, inCluster),
    ],
    owns: [],
    ownsOn: [
      { kind: Machine, fields: MACHINE_FIELDS },
      { kind: MachinePool, fields: REFUSED_FIELDS },
    ],
    // Instances and Nodes of a pool come together: one run for all of them.
    blocks: [MachinePool],
    queue: { settleMs: 50 },
  },
  async (pool, { read }) => {
    const hold = poolHold(pool, await readCluster(read, pool));
    if (hold !== undefined) return { result: hold };
    const { infrastructure } = await readProviders(read, pool);
    const kind = infraMachineKindOf(pool, infrastructure);
    if (kind === undefined || infrastructure.state !== "found") return { result: done };
    // The provider takes its Machines down itself now.
    if (infrastructure.object.metadata.deletionTimestamp !== undefined) return { result: done };

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
      versionOf: await kubeletVersions(read, pool, infraMachines),
    });
    return { ...writes, result: done };
  },
);

/** By infrastructure machine; nothing is known without a complete view of the workload cluster. */
async function kubeletVersions(
  read: StepContext["read"],
  pool: MachinePool,
  { kind, objects }: InfraMachines,
): Promise<(infraMachine: KubeObject) => string | undefined> {
  if (!(await hasCompleteView(read, pool))) return () => undefined;
  const path = infraMachinePath(kind.contract, "providerID");
  const providerIDOf = (infraMachine: KubeObject) => readString(infraMachine, path).value ?? "";
  const values = objects.map(providerIDOf).filter((providerID) => providerID !== "");
  const nodes = await read.list(
    Node,
    { index: { name: "providerID", values } },
    workloadCluster(clusterKeyOf(pool)),
  );
  const versions = new Map(
    nodes.map(({ spec, status }) => [spec?.providerID, status?.nodeInfo?.kubeletVersion || undefined]),
  );
  return (infraMachine) => versions.get(providerIDOf(infraMachine));
}
