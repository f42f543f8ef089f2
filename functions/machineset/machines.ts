import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import { BootstrapConfig } from "../../shared/contract/bootstrap-config.ts";
import { ControlPlane } from "../../shared/contract/control-plane.ts";
import { InfraMachine } from "../../shared/contract/infra-machine.ts";
import {
  BootstrapTemplate,
  InfraMachineTemplate,
  TEMPLATE_PATH,
} from "../../shared/contract/machine-templates.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import {
  inCluster,
  inClusterReferencing,
  itself,
  referencing,
  referencingKind,
  setsOfMachine,
} from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { CLONED_FROM_FIELDS } from "../../shared/rules/machines/clones.ts";
import { DELETION_ORDER_FIELDS } from "../../shared/rules/machines/deletion-order.ts";
import { IN_PLACE_FIELDS } from "../../shared/rules/machines/in-place.ts";
import { REMEDIATION_FIELDS } from "../../shared/rules/machines/machine-conditions.ts";
import { RESERVATION_FIELDS } from "../../shared/rules/machines/reservation.ts";
import { HOLD_FIELDS, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { KEY_FIELDS } from "../../shared/rules/metadata/labels.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { OWNER_FIELDS } from "../../shared/rules/metadata/read-owner.ts";
import { REFUSED_FIELDS } from "../../shared/rules/metadata/refused-write.ts";
import { setHold } from "./rules/hold.ts";
import { readLiveView, readView } from "./rules/machines-view.ts";
import { PREFLIGHT_CLUSTER_FIELDS, PREFLIGHT_FIELDS, SKIP_FIELDS } from "./rules/preflight.ts";
import { selectorOf, setProblem } from "./rules/problems.ts";
import { SET_MACHINE_FIELDS } from "./rules/reads.ts";
import { isReplicaWorkDue, replicaWork } from "./rules/replica-work.ts";
import { SCALING_FIELDS } from "./rules/scaling.ts";
import { adoptions, outOfSync, syncPatches, untilFollowed } from "./rules/sync.ts";

export const machinesetMachines = defineFunction(
  {
    name: "machineset-machines",
    summary: "Keeps the right number of Machines of a MachineSet, with the fields of its template.",
    source: "core/reconcilers/machineset/machineset_controller.go",
    reconciles: MachineSet,
    actsOn: "living",
    watches: [
      watch(
        MachineSet,
        [
          "metadata.uid",
          "metadata.labels",
          ...HOLD_FIELDS,
          ...RESERVATION_FIELDS,
          ...SCALING_FIELDS,
          ...SKIP_FIELDS,
          "spec",
        ],
        itself,
      ),
      watch(
        Cluster,
        [...PAUSING_FIELDS, ...PREFLIGHT_CLUSTER_FIELDS, "metadata.deletionTimestamp"],
        inCluster,
      ),
      watchContract(ControlPlane, ["metadata.uid", ...PREFLIGHT_FIELDS], inClusterReferencing),
      watch(Machine, [...SET_MACHINE_FIELDS, ...IN_PLACE_FIELDS], setsOfMachine),
      watchContract(
        BootstrapConfig,
        ["metadata.uid", "metadata.labels", ...OWNER_FIELDS, ...CLONED_FROM_FIELDS],
        setsOfMachine,
      ),
      watchContract(
        InfraMachine,
        ["metadata.uid", "metadata.labels", ...OWNER_FIELDS, ...CLONED_FROM_FIELDS],
        setsOfMachine,
      ),
      watchContract(BootstrapTemplate, ["metadata.uid", "metadata.generation", ...SKIP_FIELDS], referencing),
      watchContract(InfraMachineTemplate, ["metadata.uid", "metadata.generation"], referencing),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
    ],
    owns: [],
    ownsOn: [
      { kind: MachineSet, fields: [...RESERVATION_FIELDS, ...REFUSED_FIELDS] },
      { kind: Machine, fields: [...IN_PLACE_FIELDS, ...OWNER_FIELDS] },
      { kind: BootstrapConfig, fields: KEY_FIELDS, liveOnly: true },
      { kind: InfraMachine, fields: KEY_FIELDS, liveOnly: true },
    ],
    inTurnWith: [
      {
        function: "machinepool-machines",
        on: Machine,
        field: "metadata",
        reason: "a Machine has one controller: each of the two writes those that it controls or adopts",
      },
      {
        function: "machinepool-adopt",
        on: BootstrapConfig,
        field: "metadata.labels[cluster.x-k8s.io/cluster-name]",
        reason:
          "a config has one controller: that of a pool is the pool's, that of a Machine of a set the set's",
      },
    ],
    calls: [
      { verb: "create", kind: Machine },
      { verb: "delete", kind: Machine, limited: true },
      { verb: "create", kind: BootstrapConfig },
      { verb: "create", kind: InfraMachine },
    ],
    blocks: [MachineSet, Machine],
    reads: [
      {
        on: Machine,
        fields: [...DELETION_ORDER_FIELDS, ...REMEDIATION_FIELDS, "spec", "status.initialization"],
      },
      { on: BootstrapTemplate, fields: [TEMPLATE_PATH], liveOnly: true },
      { on: InfraMachineTemplate, fields: [TEMPLATE_PATH], liveOnly: true },
    ],
  },
  async (set, { read, now }) => {
    const cluster = await readCluster(read, set);
    const hold = setHold(set, cluster);
    if (hold !== undefined || cluster === undefined) return { result: hold ?? done };
    if (cluster.metadata.deletionTimestamp !== undefined) return { result: done };
    if (setProblem(set) !== undefined) return { result: waitFor("MachineSet.spec") };
    if (selectorOf(set) === undefined) return { result: waitFor("MachineSet.spec.selector") };

    const known = await readView(read, set, cluster);
    const isDue = adoptions(known).length > 0 || outOfSync(known).length > 0 || isReplicaWorkDue(known, now);
    if (!isDue) return { result: done };

    const view = await readLiveView(read, known);
    if (view === undefined) return { result: done };
    const held = setHold(view.set, view.cluster);
    if (held !== undefined) return { result: held };
    if (view.cluster.metadata.deletionTimestamp !== undefined) return { result: done };
    if (setProblem(view.set) !== undefined) return { result: waitFor("MachineSet.spec") };

    // Adopted and synced before anything is counted: a run that does it does only that.
    const adopted = adoptions(view);
    if (adopted.length > 0) return { patch: adopted, result: done };
    const patches = await Promise.all(
      outOfSync(view).map((machine) => syncPatches(read.live, view.set, machine)),
    );
    const due = patches.flat().filter(({ operations }) => operations.length > 0);
    if (due.length > 0) return { patch: due, result: untilFollowed(due) };
    return replicaWork(read, view, now);
  },
);
