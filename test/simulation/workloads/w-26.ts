import { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { simCluster, simMachineSet } from "../../support/manifests.ts";
import { failNode, healthCheck, isGone, isHealthyOrGone, mendNode, targetsOf } from "./checks.ts";
import { isComplete } from "./sets.ts";
import type { Workload } from "./workload.ts";

const LIMIT = `{ triggerIf: { unhealthyLessThanOrEqualTo: "40%" } }`;
/** Longer than the timeout of the check, and calm. */
const LONGER_MS = 60_000;

export const w26: Workload = {
  number: "W-26",
  title: "health check with limit 40 %: 3 Nodes of 5 fail, then one recovers and two Machines are replaced",
  // Faults decide whether the third fails in time to hold up the other two.
  isRace: true,
  hasNoPool: true,
  async run(user) {
    const check = healthCheck("h1", "False", LIMIT);
    await user.apply(`${simCluster("c1")}---${simMachineSet("s1", "c1", 5)}---${check}`);
    await user.until(() => isComplete(user, 5) && user.see(MachineHealthCheck, "h1") !== undefined);
    const [first, ...others] = targetsOf(user);
    for (const target of [first, ...others]) await failNode(user, target, "NotReady");
    await user.rest(LONGER_MS);
    await mendNode(user, first);
    await user.until(
      () =>
        others.every((target) => isGone(user, target)) && isHealthyOrGone(user, first) && isComplete(user, 5),
    );
  },
};
