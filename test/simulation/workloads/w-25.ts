import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { simCluster, simMachineSet } from "../../support/manifests.ts";
import { failNode, healthCheck, isGone, targetsOf } from "./checks.ts";
import { isComplete } from "./sets.ts";
import type { Workload } from "./workload.ts";

const SKIPPED = "/metadata/annotations/cluster.x-k8s.io~1skip-remediation";
/** Longer than the timeout of the check. */
const LONGER_MS = 60_000;

export const w25: Workload = {
  number: "W-25",
  title:
    "health check without limit: Nodes of a MachineSet fail and are deleted, and their Machines replaced, one after a while",
  hasNoPool: true,
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simMachineSet("s1", "c1", 3)}---${healthCheck("h1", "False")}`);
    await user.until(() => isComplete(user, 3));
    for (const fault of ["NotReady", "Gone"] as const) {
      const [sick] = targetsOf(user);
      const skip = { op: "add", path: SKIPPED, value: "" } as const;
      if (fault === "NotReady") await user.patch(Machine as Kind, sick.name, [skip]);
      await failNode(user, sick, fault);
      if (fault === "NotReady") {
        await user.rest(LONGER_MS);
        await user.patch(Machine as Kind, sick.name, [skip, { op: "remove", path: SKIPPED }]);
      }
      await user.until(() => isGone(user, sick) && isComplete(user, 3));
    }
  },
};
