import { simCluster, simPoolWithMachines } from "../../support/manifests.ts";
import { hasNodes, scale } from "./pools.ts";
import type { Workload } from "./workload.ts";

export const w05: Workload = {
  number: "W-05",
  title: "pool with Machines, scaled to 4",
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simPoolWithMachines("p1", "c1", 3)}`);
    // While nothing reconciles Machines themselves, none of them says that it is ready.
    await user.until(() => hasNodes(user, 3));
    await scale(user, 4);
    await user.until(() => hasNodes(user, 4));
  },
};
