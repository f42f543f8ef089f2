import { simCluster, simPool } from "../../support/manifests.ts";
import { isRunning } from "./pools.ts";
import type { Workload } from "./workload.ts";

export const w01: Workload = {
  number: "W-01",
  title: "pool of 3 created to Running",
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simPool("p1", "c1", 3)}`);
    await user.until(() => isRunning(user, 3));
  },
};
