import type { DeprecatedCondition } from "../../../shared/api/conditions.ts";
import {
  aggregateDeprecated,
  type DesiredDeprecatedCondition,
  deprecatedCondition,
  summarizedConditions,
} from "../../../shared/rules/conditions/deprecated-conditions.ts";
import { refusedWrite } from "../../../shared/rules/metadata/refused-write.ts";
import type { StatusView } from "./view.ts";

/** Returns all of `status.deprecated.v1beta1.conditions`, in the words of Cluster API's v1beta1. */
export function setDeprecatedConditionsOf(
  view: StatusView,
  readyReplicas: number,
): readonly DeprecatedCondition[] {
  return summarizedConditions(
    view.set.status?.deprecated?.v1beta1?.conditions,
    [machinesCreated(view), resized(view, readyReplicas), machinesReady(view)],
    { types: ["MachinesCreated", "Resized", "MachinesReady"] },
    view.now,
  );
}

/** Differs: a template that is missing is named before a Machine is tried; upstream says what the clone ran into. */
function machinesCreated({
  set,
  machines,
  blockers,
  lasting,
}: StatusView): DesiredDeprecatedCondition | undefined {
  const type = "MachinesCreated";
  const { replicas } = set.spec;
  const refused = refusedWrite(set);
  if (refused !== undefined) {
    return deprecatedCondition(type, "False", {
      ...{ severity: "Error", reason: "MachineCreationFailed", message: refused },
    });
  }
  if (replicas === undefined) return undefined;
  if (machines.length >= replicas) return deprecatedCondition(type, "True");
  if (blockers.length === 0) return undefined;
  const { configRef } = set.spec.template.spec.bootstrap;
  const isConfig = configRef !== undefined && lasting[0]?.startsWith(configRef.kind) === true;
  const part = isConfig ? "Bootstrap" : "Infrastructure";
  const reason = blockers.length > lasting.length ? "PreflightCheckFailed" : `${part}TemplateCloningFailed`;
  return deprecatedCondition(type, "False", { severity: "Error", reason, message: blockers.join("; ") });
}

function resized(
  { set, machines }: StatusView,
  readyReplicas: number,
): DesiredDeprecatedCondition | undefined {
  const type = "Resized";
  const present = machines.length;
  const { replicas } = set.spec;
  if (replicas === undefined) return undefined;
  if (present !== replicas) {
    const [reason, direction] = present < replicas ? ["ScalingUp", "up"] : ["ScalingDown", "down"];
    const message = `Scaling ${direction} MachineSet to ${replicas} replicas (actual ${present})`;
    return deprecatedCondition(type, "False", { severity: "Warning", reason, message });
  }
  return readyReplicas === present ? deprecatedCondition(type, "True") : undefined;
}

function machinesReady({ machines }: StatusView): DesiredDeprecatedCondition | undefined {
  const type = "MachinesReady";
  return machines.length === 0 ? deprecatedCondition(type, "True") : aggregateDeprecated(type, machines);
}
