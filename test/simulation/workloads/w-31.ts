import { simCluster, simMachineDeployment } from "../../support/manifests.ts";
import { editDeployment, hasBegun, isRolledOut, rollOut } from "./deployments.ts";
import type { Workload } from "./workload.ts";

export const w31: Workload = {
  number: "W-31",
  title: "MachineDeployment of 3: rolled out, rolled out again and scaled on the way, rolled back",
  hasNoPool: true,
  // How far a rollout has come when the next one begins decides how many Machines are made.
  isRace: true,
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simMachineDeployment("d1", "c1", 3)}`);
    await user.until(() => isRolledOut(user, 3));
    await rollOut(user, "v1.34.3");
    await user.until(() => hasBegun(user, 3));
    await editDeployment(user, { op: "replace", path: "/spec/replicas", value: 5 });
    await rollOut(user, "v1.34.4");
    await user.until(() => isRolledOut(user, 5));
    await rollOut(user, "v1.34.2");
    await user.until(() => hasBegun(user, 5));
    await editDeployment(user, { op: "replace", path: "/spec/replicas", value: 2 });
    await rollOut(user, "v1.34.4");
    await user.until(() => isRolledOut(user, 2));
  },
};
