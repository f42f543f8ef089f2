import { DEPLOYMENT_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { BootstrapTemplate, InfraMachineTemplate } from "../../../shared/contract/machine-templates.ts";
import {
  deploymentOfMachine,
  deploymentOfSet,
  itself,
  watch,
  watchReferenced,
} from "../../../shared/function/define-function.ts";
import { DEPRECATED_CONDITIONS } from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { MACHINE_CONDITION_FIELDS } from "../../../shared/rules/machines/machine-conditions.ts";
import { SIZE_FIELDS } from "../../../shared/rules/machines/node-group-size.ts";
import { STALE_FIELDS } from "../../../shared/rules/machines/stale-machines.ts";
import { ADOPTED_FIELDS } from "../../../shared/rules/providers/adoption.ts";
import { PLANNED_FIELDS } from "../../../shared/rules/rollout/plan-input.ts";
import { COUNTER_FIELDS } from "./counters.ts";

/** The fields by which objects of a deployment are found, and are known to go. */
export const MEMBER_FIELDS = ["metadata.uid", "metadata.deletionTimestamp", ...ADOPTED_FIELDS] as const;

/** Watches of everything that the status shows. */
export const STATUS_WATCHES = [
  watch(MachineDeployment, ["metadata.uid", ...ADOPTED_FIELDS, ...SIZE_FIELDS, "spec", "status"], itself),
  watch(
    MachineSet,
    [...MEMBER_FIELDS, ...PLANNED_FIELDS, ...COUNTER_FIELDS, `${DEPRECATED_CONDITIONS}[Ready]`],
    deploymentOfSet,
  ),
  watchReferenced([BootstrapTemplate, []], [InfraMachineTemplate, []]),
  watch(
    Machine,
    [
      ...MEMBER_FIELDS,
      `metadata.labels[${DEPLOYMENT_NAME_LABEL}]`,
      ...MACHINE_CONDITION_FIELDS,
      ...STALE_FIELDS,
    ],
    deploymentOfMachine,
  ),
];
