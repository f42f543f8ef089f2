import { simCluster, simPool } from "../../support/manifests.ts";
import { isRunning, scale } from "./pools.ts";
import type { Workload } from "./workload.ts";

export const w02: Workload = {
  number: "W-02",
  title: "scale 3, 10, 2",
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simPool("p1", "c1", 3)}`);
    await user.until(() => isRunning(user, 3));
    await scale(user, 10);
    await user.until(() => isRunning(user, 10));
    await scale(user, 2);
    await user.until(() => isRunning(user, 2));
  },
};
