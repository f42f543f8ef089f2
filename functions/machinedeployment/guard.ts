import { MachineDeployment, refTo } from "../../shared/api/entry.ts";
import { BootstrapTemplate, InfraMachineTemplate } from "../../shared/contract/entry.ts";
import {
  defineFunction,
  done,
  HOLD_FIELDS,
  hasCluster,
  isAtRest,
  itself,
  turn,
  watch,
  watchReferenced,
} from "../../shared/function/define-function.ts";
import { OWNER_FIELDS, SIZE_FIELDS } from "../../shared/rules/entry.ts";
import { SKIP_PREFLIGHT } from "../../shared/rules/machines/annotations.ts";
import { readTemplates } from "../../shared/rules/providers/machine-providers.ts";
import { referenceNotices } from "../../shared/rules/providers/reference-notices.ts";
import { templateOwnerPatches } from "../../shared/rules/providers/template-owners.ts";
import { deploymentGuardPatch, GUARDED_FIELDS } from "./rules/guard.ts";
import { deploymentViolations } from "./rules/violations.ts";

export const machinedeploymentGuard = defineFunction(
  {
    name: "machinedeployment-guard",
    summary:
      "Makes a MachineDeployment and its templates safe to work on: finalizer, labels, Cluster owner reference, defaults.",
    source: "core/reconcilers/machinedeployment/machinedeployment_controller.go",
    reconciles: MachineDeployment,
    when: [hasCluster],
    settles: true,
    watches: [
      watch(
        MachineDeployment,
        [
          "metadata.uid",
          "metadata.labels",
          ...HOLD_FIELDS,
          ...OWNER_FIELDS,
          ...SIZE_FIELDS,
          `metadata.annotations[${SKIP_PREFLIGHT}]`,
          "spec",
        ],
        itself,
      ),
      watchReferenced([BootstrapTemplate, OWNER_FIELDS], [InfraMachineTemplate, OWNER_FIELDS]),
    ],
    ownsOn: [
      { kind: MachineDeployment, fields: GUARDED_FIELDS },
      { kind: BootstrapTemplate, fields: OWNER_FIELDS },
      { kind: InfraMachineTemplate, fields: OWNER_FIELDS },
    ],
    inTurnWith: [BootstrapTemplate, InfraMachineTemplate].flatMap((kind) =>
      turn("machineset-guard", kind, OWNER_FIELDS, "both write the same entry, in any order"),
    ),
    reads: [{ on: MachineDeployment, fields: ["status.replicas"] }],
  },
  async (deployment, { read, cluster }) => {
    const own = {
      target: refTo(MachineDeployment, deployment),
      operations: deploymentGuardPatch(deployment, cluster),
    };
    if (isAtRest(deployment, cluster)) return { patch: [own], result: done };

    const templates = await readTemplates(read, deployment);
    return {
      patch: [own, ...templateOwnerPatches(templates, cluster)],
      events: [
        ...deploymentViolations(deployment),
        ...referenceNotices(deployment, [templates.bootstrap, templates.infrastructure]),
      ],
      result: done,
    };
  },
);
