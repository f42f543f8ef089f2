import type { Kind } from "../../../shared/api/kinds.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { simCluster, simMachineSet } from "../../support/manifests.ts";
import { failNode, healthCheck, isGone, isHealthyOrGone, mendNode, says, targetsOf } from "./checks.ts";
import { isComplete } from "./sets.ts";
import type { Workload } from "./workload.ts";

const LIMIT = "{ triggerIf: { unhealthyLessThanOrEqualTo: 1 } }";
const PAUSED = "/metadata/annotations/cluster.x-k8s.io~1paused";

export const w30: Workload = {
  number: "W-30",
  title: "the owner is paused: a Machine recovers beside its left-over, and another one waits for its place",
  hasNoPool: true,
  // An owner that has not seen its pause replaces the first Machine.
  isRace: true,
  async run(user) {
    const set = simMachineSet("s1", "c1", 3).replace(
      "metadata: { name: s1, namespace: default }",
      'metadata: { name: s1, namespace: default, annotations: { note: "" } }',
    );
    await user.apply(`${simCluster("c1")}---${set}---${healthCheck("h1", "False", LIMIT)}`);
    await user.until(() => isComplete(user, 3));
    const [first, second] = targetsOf(user);
    await user.patch(MachineSet as Kind, "s1", [{ op: "add", path: PAUSED, value: "" }]);
    await failNode(user, first, "NotReady");
    await user.until(() => isGone(user, first) || says(user, first.name, "OwnerRemediated", "False"));
    await mendNode(user, first);
    await user.until(() => isHealthyOrGone(user, first));
    await failNode(user, second, "NotReady");
    await user.until(() => isGone(user, second) || says(user, second.name, "OwnerRemediated", "False"));
    await user.patch(MachineSet as Kind, "s1", [
      { op: "add", path: PAUSED, value: "" },
      { op: "remove", path: PAUSED },
    ]);
    await user.until(() => isGone(user, second) && isComplete(user, 3));
  },
};
