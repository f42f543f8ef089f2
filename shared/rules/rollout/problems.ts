import { DEPLOYMENT_NAME_LABEL } from "../../api/indexes.ts";
import type { MachineDeployment } from "../../api/machinedeployment.ts";
import { defaultReplicas, MAX_SIZE, MIN_SIZE } from "../machines/node-group-size.ts";
import { namingOf, workersProblem } from "../machines/workers-problem.ts";
import { parseSelector, type Selector } from "../metadata/label-selector.ts";

/** The longest value of a label, which the name is on every Machine. */
const MAX_NAME = 63;
const PERCENT = /^\d{1,9}%$/;

/**
 * Returns why no set of a deployment is made or resized, by field: admission refuses it, so it has bypassed admission.
 * `undefined`: nothing is against it.
 */
export function deploymentProblem(deployment: MachineDeployment): string | undefined {
  const { metadata, spec } = deployment;
  if (metadata.name.length > MAX_NAME) {
    return `metadata.name has ${metadata.name.length} characters; the label of its Machines holds ${MAX_NAME}`;
  }
  if (spec.replicas === undefined && defaultReplicas(deployment) === undefined) {
    return `spec.replicas is missing and ${MIN_SIZE} and ${MAX_SIZE} are not counts`;
  }
  // Names of sets are not known yet: admission tries another one, too.
  const naming = namingOf(spec, "machineset");
  return workersProblem(spec, ownLabel(deployment), naming) ?? limitsProblem(spec);
}

/** The label by which a deployment selects its sets and Machines where its author selects none. */
export function ownLabel({ metadata }: MachineDeployment): { readonly [key: string]: string } {
  return { [DEPLOYMENT_NAME_LABEL]: metadata.name };
}

/** Returns the selector of a deployment; `undefined` while it has none, or a malformed one. */
export function selectorOf({ spec }: MachineDeployment): Selector | undefined {
  const parsed = parseSelector({ ...spec.selector, matchLabels: spec.selector?.matchLabels ?? {} });
  return "problem" in parsed || parsed.isEmpty ? undefined : parsed;
}

function limitsProblem({ rollout, remediation }: MachineDeployment["spec"]): string | undefined {
  const path = "spec.rollout.strategy.rollingUpdate";
  const { type, rollingUpdate } = rollout?.strategy ?? {};
  const { maxSurge, maxUnavailable } = rollingUpdate ?? {};
  if (type !== "OnDelete" && maxSurge === 0 && (maxUnavailable ?? 0) === 0) {
    return `${path}.maxSurge and ${path}.maxUnavailable are both 0; raise one of them`;
  }
  return (
    limitProblem(`${path}.maxSurge`, maxSurge) ??
    limitProblem(`${path}.maxUnavailable`, maxUnavailable) ??
    limitProblem("spec.remediation.maxInFlight", remediation?.maxInFlight)
  );
}

function limitProblem(path: string, limit: number | string | undefined): string | undefined {
  const isRead = typeof limit === "string" ? PERCENT.test(limit) : limit === undefined || limit >= 0;
  return isRead
    ? undefined
    : `${path} is ${limit}; write a number such as 1, or a percentage such as 25%, and none below 0`;
}
