import { SimRemediation, SimRemediationTemplate } from "../../../infra/playground/api/sim-remediation.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { simCluster, simMachineSet } from "../../support/manifests.ts";
import { failNode, healthCheck, isGone, isHealthyOrGone, type Target, targetsOf } from "./checks.ts";
import { isComplete, machinesOf, scaleSet } from "./sets.ts";
import type { Workload } from "./workload.ts";

const REBOOT = `{ triggerIf: { unhealthyLessThanOrEqualTo: 1 }, templateRef: { apiVersion: infrastructure.sim.capstan.dev/v1beta2, kind: SimRemediationTemplate, name: reboot } }`;
const TEMPLATE = `
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimRemediationTemplate
metadata: { name: reboot, namespace: default }
spec: { template: { spec: { retryLimit: 0, timeoutSeconds: 60, gaveUpIn: Deprecated } } }
`;

export const w27: Workload = {
  number: "W-27",
  title:
    "external remediation: a reboot brings one Node back, another one is given up and its Machine replaced; scaled to 0",
  // A reboot that comes too late for its timeout is given up as well.
  isRace: true,
  hasNoPool: true,
  async run(user) {
    const check = `${TEMPLATE}---${healthCheck("h1", "False", REBOOT)}`;
    await user.apply(`${simCluster("c1")}---${simMachineSet("s1", "c1", 3)}---${check}`);
    await user.until(() => isComplete(user, 3));
    const [first, second] = targetsOf(user);
    const isOver = (target: Target): boolean =>
      isHealthyOrGone(user, target) && user.see(SimRemediation, target.name) === undefined;
    await failNode(user, first, "NotReady");
    await user.until(() => user.see(SimRemediation, first.name) !== undefined || isGone(user, first));
    await user.until(() => isOver(first) && isComplete(user, 3));
    const fails = [{ op: "add", path: "/spec/template/spec/outcome", value: "Fails" }] as const;
    await user.patch(SimRemediationTemplate as Kind, "reboot", fails);
    await failNode(user, second, "NotReady");
    await user.until(() => isGone(user, second) && isOver(first) && isComplete(user, 3));
    // Faults decide which Machines were rebooted and which replaced, and a rebooted one shows that ever after.
    await scaleSet(user, 0);
    await user.until(() => machinesOf(user, "s1").length === 0);
  },
};
