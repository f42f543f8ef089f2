import { duplicateValue, forbiddenField, invalidValue, required, unlessSupported } from "../errors/cause.ts";
import type { Cause } from "../errors/status-error.ts";
import { isJsonObject, type JsonObject, sameJson } from "../objects/json.ts";
import { listAt, objectAt, textAt } from "../objects/kube-object.ts";
import { withConditionTimes } from "../schema/zero-values.ts";
import { labelValueCauses, qualifiedNameCauses } from "./metadata.ts";
import type { Strategy } from "./registry.ts";

const CONDITION_TIMES = ["lastHeartbeatTime", "lastTransitionTime"];
const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** A Node stays that of its instance. Source: Kubernetes v1.34, pkg/apis/core/validation/validation.go */
export const nodeStrategy: Strategy = {
  defaults(next) {
    const status = withConditionTimes(objectAt(next, "status"), CONDITION_TIMES);
    const { capacity, allocatable = capacity } = status;
    return { ...next, status: { ...status, ...(allocatable === undefined ? {} : { allocatable }) } };
  },
  validate(next, live) {
    const spec = objectAt(next, "spec");
    const before = objectAt(live, "spec");
    const taints = listAt(spec, "taints").filter(isJsonObject);
    const status = objectAt(next, "status");
    const addresses = live ? listAt(status, "addresses") : [];
    return [
      ...lockedCauses("providerID", before, spec),
      ...lockedCauses("podCIDRs", before, spec),
      ...taints.flatMap((taint, index) => taintCauses(taints, taint, index)),
      ...quantityCauses("capacity", objectAt(status, "capacity")),
      ...quantityCauses("allocatable", objectAt(status, "allocatable")),
      ...addresses.flatMap((address, index) =>
        addresses.findIndex((other) => sameJson(other, address)) < index
          ? [duplicateValue(`status.addresses[${index}]`, address)]
          : [],
      ),
    ];
  },
};

function quantityCauses(member: string, quantities: JsonObject): Cause[] {
  return Object.entries(quantities)
    .filter(([, amount]) => String(amount).startsWith("-"))
    .map(([name, amount]) =>
      invalidValue(`status.${member}.${name}`, amount, "must be greater than or equal to 0"),
    );
}

/** Fields that may be set once. */
function lockedCauses(member: string, before: JsonObject, spec: JsonObject): Cause[] {
  if (before[member] === undefined || sameJson(before[member], spec[member])) return [];
  const problem = `node updates may not change ${member} except from "" to valid`;
  return [forbiddenField(`spec.${member}`, problem)];
}

/** The paths are those of the real server, which looks for taints in the metadata. */
function taintCauses(taints: readonly JsonObject[], taint: JsonObject, index: number): Cause[] {
  const field = `metadata.taints[${index}]`;
  const effect = textAt(taint, "effect");
  const isSame = (other: JsonObject) =>
    textAt(other, "key") === textAt(taint, "key") && textAt(other, "effect") === effect;
  return [
    ...qualifiedNameCauses(textAt(taint, "key"), `${field}.key`),
    ...labelValueCauses(textAt(taint, "value"), `${field}.value`),
    ...(effect === "" ? [required(`${field}.effect`)] : unlessSupported(`${field}.effect`, effect, EFFECTS)),
    ...(taints.findIndex(isSame) < index ? [duplicateValue(field, taint)] : []),
  ];
}
