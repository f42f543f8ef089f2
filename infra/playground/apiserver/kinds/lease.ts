import { invalidValue } from "../errors/cause.ts";
import { objectAt, omit } from "../objects/kube-object.ts";
import type { Strategy } from "./registry.ts";

/** Source: Kubernetes v1.34, pkg/apis/coordination/validation/validation.go */
export const leaseStrategy: Strategy = {
  prepare(next) {
    // These belong to coordinated leader election, which is off by default.
    return { ...next, spec: omit(omit(objectAt(next, "spec"), "strategy"), "preferredHolder") };
  },
  validate(next) {
    const { leaseDurationSeconds: duration = 1, leaseTransitions: transitions = 0 } = objectAt(next, "spec");
    return [
      ...(Number(duration) > 0
        ? []
        : [invalidValue("spec.leaseDurationSeconds", duration, "must be greater than 0")]),
      ...(Number(transitions) >= 0
        ? []
        : [invalidValue("spec.leaseTransitions", transitions, "must be greater than or equal to 0")]),
    ];
  },
};
