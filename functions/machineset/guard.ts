import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { refTo } from "../../shared/api/kinds.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import { BootstrapTemplate, InfraMachineTemplate } from "../../shared/contract/machine-templates.ts";
import { CONTRACT_FIELDS } from "../../shared/contract/version.ts";
import { defineFunction, watch, watchContract } from "../../shared/function/define-function.ts";
import { inCluster, itself, referencing, referencingKind } from "../../shared/function/mappings.ts";
import { done, waitFor } from "../../shared/function/result.ts";
import { SIZE_FIELDS } from "../../shared/rules/machines/node-group-size.ts";
import { HOLD_FIELDS, isAtRest, PAUSING_FIELDS } from "../../shared/rules/metadata/hold.ts";
import { ownerReference, ownerReferencePatch } from "../../shared/rules/metadata/owner-references.ts";
import { readCluster } from "../../shared/rules/metadata/read-cluster.ts";
import { OWNER_FIELDS } from "../../shared/rules/metadata/read-owner.ts";
import { referenceNotices } from "../../shared/rules/providers/reference-notices.ts";
import { GUARDED_FIELDS, setGuardPatch } from "./rules/guard.ts";
import { readTemplates } from "./rules/reads.ts";
import { setViolations } from "./rules/violations.ts";

export const machinesetGuard = defineFunction(
  {
    name: "machineset-guard",
    summary:
      "Makes a MachineSet and its templates safe to work on: finalizer, labels, Cluster owner reference, defaults.",
    source: "core/reconcilers/machineset/machineset_controller.go",
    reconciles: MachineSet,
    watches: [
      watch(
        MachineSet,
        ["metadata.uid", "metadata.labels", ...HOLD_FIELDS, ...OWNER_FIELDS, ...SIZE_FIELDS, "spec"],
        itself,
      ),
      watch(Cluster, PAUSING_FIELDS, inCluster),
      watchContract(BootstrapTemplate, ["metadata.uid", ...OWNER_FIELDS], referencing),
      watchContract(InfraMachineTemplate, ["metadata.uid", ...OWNER_FIELDS], referencing),
      watch(CustomResourceDefinition, CONTRACT_FIELDS, referencingKind),
    ],
    owns: [],
    ownsOn: [
      { kind: MachineSet, fields: GUARDED_FIELDS },
      { kind: BootstrapTemplate, fields: OWNER_FIELDS },
      { kind: InfraMachineTemplate, fields: OWNER_FIELDS },
    ],
    reads: [{ on: MachineSet, fields: ["status.replicas"] }],
  },
  async (set, { read }) => {
    const cluster = await readCluster(read, set);
    if (cluster === undefined) return { result: waitFor("Cluster.metadata.uid") };
    const own = { target: refTo(MachineSet, set), operations: setGuardPatch(set, cluster) };
    if (isAtRest(set, cluster)) return { patch: [own], result: done };

    const { bootstrap, infrastructure } = await readTemplates(read, set);
    const owner = ownerReference(Cluster, cluster);
    const templates = [bootstrap, infrastructure].flatMap((found) =>
      found?.state === "found"
        ? [{ target: refTo(found.kind, found.object), operations: ownerReferencePatch(found.object, owner) }]
        : [],
    );
    return {
      patch: [own, ...templates],
      events: [...setViolations(set), ...referenceNotices(set, [bootstrap, infrastructure])],
      result: done,
    };
  },
);
