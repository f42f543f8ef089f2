import { MachineSet, refTo } from "../../shared/api/entry.ts";
import { BootstrapTemplate, InfraMachineTemplate } from "../../shared/contract/entry.ts";
import {
  defineFunction,
  done,
  HOLD_FIELDS,
  hasCluster,
  isAtRest,
  itself,
  watch,
  watchReferenced,
} from "../../shared/function/define-function.ts";
import { OWNER_FIELDS, SIZE_FIELDS } from "../../shared/rules/entry.ts";
import { readTemplates } from "../../shared/rules/providers/machine-providers.ts";
import { referenceNotices } from "../../shared/rules/providers/reference-notices.ts";
import { templateOwnerPatches } from "../../shared/rules/providers/template-owners.ts";
import { GUARDED_FIELDS, setGuardPatch } from "./rules/guard.ts";
import { setViolations } from "./rules/violations.ts";

export const machinesetGuard = defineFunction(
  {
    name: "machineset-guard",
    summary:
      "Makes a MachineSet and its templates safe to work on: finalizer, labels, Cluster owner reference, defaults.",
    source: "core/reconcilers/machineset/machineset_controller.go",
    reconciles: MachineSet,
    when: [hasCluster],
    settles: true,
    watches: [
      watch(
        MachineSet,
        ["metadata.uid", "metadata.labels", ...HOLD_FIELDS, ...OWNER_FIELDS, ...SIZE_FIELDS, "spec"],
        itself,
      ),
      watchReferenced([BootstrapTemplate, OWNER_FIELDS], [InfraMachineTemplate, OWNER_FIELDS]),
    ],
    ownsOn: [
      { kind: MachineSet, fields: GUARDED_FIELDS },
      { kind: BootstrapTemplate, fields: OWNER_FIELDS },
      { kind: InfraMachineTemplate, fields: OWNER_FIELDS },
    ],
    reads: [{ on: MachineSet, fields: ["status.replicas"] }],
  },
  async (set, { read, cluster }) => {
    const own = { target: refTo(MachineSet, set), operations: setGuardPatch(set, cluster) };
    if (isAtRest(set, cluster)) return { patch: [own], result: done };

    const templates = await readTemplates(read, set);
    return {
      patch: [own, ...templateOwnerPatches(templates, cluster)],
      events: [
        ...setViolations(set),
        ...referenceNotices(set, [templates.bootstrap, templates.infrastructure]),
      ],
      result: done,
    };
  },
);
