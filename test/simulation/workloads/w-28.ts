import { simCluster, simMachineSet } from "../../support/manifests.ts";
import { failNode, healthCheck, isGone, targetsOf } from "./checks.ts";
import { isComplete } from "./sets.ts";
import type { Workload } from "./workload.ts";

const LIMIT = "{ triggerIf: { unhealthyLessThanOrEqualTo: 1 } }";

export const w28: Workload = {
  number: "W-28",
  title: "two health checks select the same Machines: one fails for the first, then one for the second",
  hasNoPool: true,
  async run(user) {
    const checks = `${healthCheck("h1", "False")}---${healthCheck("h2", "Unknown", LIMIT)}`;
    await user.apply(`${simCluster("c1")}---${simMachineSet("s1", "c1", 3)}---${checks}`);
    await user.until(() => isComplete(user, 3));
    for (const fault of ["NotReady", "Unknown"] as const) {
      const [sick] = targetsOf(user);
      await failNode(user, sick, fault);
      await user.until(() => isGone(user, sick) && isComplete(user, 3));
    }
  },
};
