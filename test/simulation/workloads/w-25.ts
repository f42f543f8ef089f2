import { simCluster, simMachineSet } from "../../support/manifests.ts";
import { failNode, healthCheck, isGone, targetsOf } from "./checks.ts";
import { isComplete } from "./sets.ts";
import type { Workload } from "./workload.ts";

export const w25: Workload = {
  number: "W-25",
  title:
    "health check without limit: Nodes of a MachineSet fail and are deleted, and their Machines replaced",
  hasNoPool: true,
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simMachineSet("s1", "c1", 3)}---${healthCheck("h1", "False")}`);
    await user.until(() => isComplete(user, 3));
    for (const fault of ["NotReady", "Gone"] as const) {
      const [sick] = targetsOf(user);
      await failNode(user, sick, fault);
      await user.until(() => isGone(user, sick) && isComplete(user, 3));
    }
  },
};
