import { invalidValue, required } from "../errors/cause.ts";
import type { Cause } from "../errors/status-error.ts";
import { objectAt, textAt } from "../objects/kube-object.ts";
import { qualifiedNameCauses } from "./metadata.ts";
import type { Strategy } from "./registry.ts";

const MAX_LENGTH = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;
/** Members of an Event with `eventTime`, which is how newer clients report. */
const REQUIRED = ["reportingComponent", "reportingInstance", "action", "reason"];

/** Source: Kubernetes v1.34, pkg/apis/core/validation/events.go */
export const eventStrategy: Strategy = {
  validate(next) {
    const { namespace = "" } = next.metadata;
    const involved = textAt(objectAt(next, "involvedObject"), "namespace");
    const isNew = textAt(next, "eventTime") !== "";
    const homes = isNew ? ["default", "kube-system"] : ["default"];
    const isAtHome = involved === "" ? homes.includes(namespace) : isNew || involved === namespace;
    return [
      ...(isAtHome
        ? []
        : [invalidValue("involvedObject.namespace", involved, "does not match event.namespace")]),
      ...(isNew ? reportCauses((member) => textAt(next, member)) : []),
    ];
  },
};

function reportCauses(textOf: (member: string) => string): Cause[] {
  const tooLong = Object.entries(MAX_LENGTH).filter(([member, max]) => textOf(member).length > max);
  return [
    ...REQUIRED.filter((member) => textOf(member) === "").map(required),
    ...qualifiedNameCauses(textOf("reportingComponent"), "reportingComponent"),
    ...tooLong.map(([member, max]) => invalidValue(member, "", `can have at most ${max} characters`)),
  ];
}
