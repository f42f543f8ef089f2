import { SimRemediation } from "../../../infra/playground/api/sim-remediation.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { RemediationPolicy } from "../../../shared/api/remediation-policy.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { simCluster, simMachineSet } from "../../support/manifests.ts";
import type { User } from "../play/user.ts";
import { failNode, healthCheck, isGone, isHealthyOrGone, mendNode, says, targetsOf } from "./checks.ts";
import { isComplete } from "./sets.ts";
import type { Workload } from "./workload.ts";

const OUTSIDE = `{ triggerIf: { unhealthyLessThanOrEqualTo: 1 }, templateRef: { apiVersion: infrastructure.sim.capstan.dev/v1beta2, kind: SimRemediationTemplate, name: slow } }`;
/** A controller that has taken a request and never does anything. */
const TEMPLATE = `
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimRemediationTemplate
metadata: { name: slow, namespace: default }
spec: { template: { spec: { delaySeconds: 86400 } } }
`;
/** The third remediation waits for the retry budget. */
const POLICY = `
apiVersion: capstan.dev/v1alpha1
kind: RemediationPolicy
metadata: { name: r1, namespace: default }
spec:
  clusterName: c1
  pacing: { maxRemediations: 1, windowSeconds: 120 }
  retries: { perController: 2, windowSeconds: 360 }
  escalation: { afterSeconds: 60 }
`;
/** Of another controller, which lets go when its user says so. */
const KEPT = "example.com/kept";
/** Longer than pacing and calm together. */
const LONGER_MS = 150_000;

export const w28: Workload = {
  number: "W-28",
  title:
    "two health checks and a policy: a request outlives a recovery, another is too old, a third failure has to wait",
  hasNoPool: true,
  // A request that is not seen in time is too old, and its Machine replaced.
  isRace: true,
  async run(user) {
    const checks = `${healthCheck("h1", "False")}---${healthCheck("h2", "Unknown", OUTSIDE)}`;
    await user.apply(
      `${simCluster("c1")}---${simMachineSet("s1", "c1", 2)}---${POLICY}---${TEMPLATE}---${checks}`,
    );
    await user.until(() => isComplete(user, 2) && user.see(RemediationPolicy, "r1") !== undefined);
    const [first, second] = targetsOf(user);
    const isRequested = (name: string): boolean => user.see(SimRemediation, name) !== undefined;
    await failNode(user, first, "Unknown");
    await user.until(() => isRequested(first.name) || isGone(user, first));
    const keep = [{ op: "add", path: "/metadata/finalizers/-", value: KEPT }] as const;
    await user.patch(SimRemediation as Kind, first.name, keep);
    await mendNode(user, first);
    await user.until(() => isHealthyOrGone(user, first));
    await failNode(user, second, "Unknown");
    await user.until(() => isGone(user, second) || says(user, second.name, "HealthCheckSucceeded", "False"));
    await user.rest(LONGER_MS);
    const letGo = [{ op: "add", path: "/metadata/finalizers", value: [] }] as const;
    await user.patch(SimRemediation as Kind, first.name, letGo);
    await user.until(() => isGone(user, second) && isComplete(user, 2));
    // The one that has recovered shows it for ever: what is left must not depend on who was in time.
    await failNode(user, first, "NotReady");
    await user.until(() => isGone(user, first) && isComplete(user, 2));
    await user.until(() => user.list(SimRemediation).length === 0);
    // A Machine that was recreated is another one: it may have been marked, too, and have recovered by itself.
    for (const target of targetsOf(user).filter(({ name }) => isMarked(user, name))) {
      await user.delete(Machine as Kind, target.name);
      await user.until(() => isGone(user, target));
    }
    await user.until(() => isComplete(user, 2));
    await user.delete(RemediationPolicy as Kind, "r1");
    await user.until(() => user.see(RemediationPolicy, "r1") === undefined);
  },
};

/** Shows ever after that it waited for an external controller. */
function isMarked(user: User, name: string): boolean {
  return conditionOf(user.see(Machine, name)?.status?.conditions, "ExternallyRemediated") !== undefined;
}
