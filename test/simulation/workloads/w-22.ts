import { SimBootstrapConfigTemplate } from "../../../infra/playground/api/sim-bootstrap.ts";
import { SimMachineTemplate } from "../../../infra/playground/api/sim-machine.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { simCluster, simMachineSet } from "../../support/manifests.ts";
import { isComplete, machinesOf, scaleSet } from "./sets.ts";
import type { Workload } from "./workload.ts";

export const w22: Workload = {
  number: "W-22",
  title: "MachineSet of 3, scaled to 5 and to 2, and deleted",
  hasNoPool: true,
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simMachineSet("s1", "c1", 3)}`);
    await user.until(() => isComplete(user, 3));
    for (const replicas of [5, 2]) {
      await scaleSet(user, replicas);
      await user.until(() => isComplete(user, replicas) && machinesOf(user, "s1").length === replicas);
    }
    await user.delete(MachineSet as Kind, "s1");
    await user.until(() => user.see(MachineSet, "s1") === undefined);
    // Faults decide whether the set has adopted them, where one of them was recreated.
    for (const kind of [SimBootstrapConfigTemplate, SimMachineTemplate])
      await user.delete(kind as Kind, "s1");
  },
};
