import { both, moved, type Rule, written } from "./rule.ts";

// Rules that several kinds share. `at` is the path above them, with its dot, or nothing.

/** Requirements of a selector, which are types of Kubernetes. */
export const selector = (at: string, more: Partial<Rule> = {}): readonly Rule[] => [
  { at, ...more },
  { at: `${at}.matchExpressions`, items: both("key", "operator") },
];

export const gates = (at: string): Rule => ({ at, items: written("conditionType") });

export const timeouts = (at: string): readonly Rule[] =>
  ["nodeDrainTimeout", "nodeVolumeDetachTimeout", "nodeDeletionTimeout"].map((name) =>
    moved(`${at}deletion.${name}Seconds`, `${at}${name}`, { as: "duration" }),
  );

/** The spec of a Machine, and of a template of Machines. */
export const machineSpec = (at: string): readonly Rule[] => [
  ...written(`${at}clusterName`, `${at}bootstrap`),
  { at: `${at}bootstrap.configRef`, as: "reference" },
  { at: `${at}infrastructureRef`, as: "reference", down: "always" },
  ...timeouts(at),
  gates(`${at}readinessGates`),
  { at: `${at}taints`, items: TAINT },
];
/** A taint may have an empty value; none is the same. */
export const TAINT: readonly Rule[] = [{ at: "value", up: "drop", down: "drop" }];

export const template = (): readonly Rule[] => [
  ...written("spec.clusterName", "spec.template", "spec.template.metadata", "spec.template.spec"),
  ...machineSpec("spec.template.spec."),
];

/** Checks of health. `old` is the path of the block in the older version. */
export const healthCheck = (at: string, old: string): readonly Rule[] => [
  moved(`${at}checks.unhealthyNodeConditions`, `${old}unhealthyConditions`, {
    items: [...written("type", "status"), TIMEOUT],
  }),
  moved(`${at}checks.unhealthyMachineConditions`, `${old}unhealthyMachineConditions`, { items: [TIMEOUT] }),
  moved(`${at}checks.nodeStartupTimeoutSeconds`, `${old}nodeStartupTimeout`, { as: "duration" }),
  moved(`${at}remediation.triggerIf.unhealthyLessThanOrEqualTo`, `${old}maxUnhealthy`),
  moved(`${at}remediation.triggerIf.unhealthyInRange`, `${old}unhealthyRange`),
  moved(`${at}remediation.templateRef`, `${old}remediationTemplate`, { as: "template" }),
];
const TIMEOUT = moved("timeoutSeconds", "timeout", { as: "duration", up: "always", down: "always" });

/** How Machines of a class or a topology are replaced, and what remediates them. */
export const rollout = (): readonly Rule[] => [
  moved("rollout.strategy", "strategy"),
  moved("deletion.order", "strategy.rollingUpdate.deletePolicy"),
  moved("healthCheck.remediation.maxInFlight", "strategy.remediation.maxInFlight"),
];

const CONDITION = both("type", "status", "lastTransitionTime", "reason", "message");
const FORMER_CONDITION = [
  ...both("type", "status", "lastTransitionTime"),
  ...["reason", "message", "severity"].map((at): Rule => ({ at, up: "drop", down: "drop" })),
];

/** Both families of conditions: the newer ones stand below `status.v1beta2` in v1beta1. */
export const conditions = (): readonly Rule[] => [
  moved("status.deprecated.v1beta1.conditions", "status.conditions", { items: FORMER_CONDITION }),
  moved("status.conditions", "status.v1beta2.conditions", { items: CONDITION }),
];

export const failures = (): readonly Rule[] =>
  ["failureReason", "failureMessage"].map((name) =>
    moved(`status.deprecated.v1beta1.${name}`, `status.${name}`, { up: "keep", down: "keep" }),
  );

/** A latch is a flag of the status in v1beta1, and always there. */
export const latch = (at: string, old: string): Rule =>
  moved(`status.initialization.${at}`, `status.${old}`, { up: "drop", down: "always", restored: "empty" });

/** Counters by conditions stand below `status.v1beta2` in v1beta1, whose own ones count Nodes. */
export const counters = (former: readonly string[], empty: "always" | "drop"): readonly Rule[] => [
  { at: "status", up: "always" },
  { at: "status.deprecated", up: "always" },
  { at: "status.deprecated.v1beta1", up: "always" },
  ...both("status.replicas"),
  ...["readyReplicas", "availableReplicas", "upToDateReplicas"].map((name) =>
    moved(`status.${name}`, `status.v1beta2.${name}`),
  ),
  ...former.map((name) =>
    moved(`status.deprecated.v1beta1.${name}`, `status.${name}`, { up: empty, down: empty }),
  ),
];
