import { simCluster, simPool } from "../../support/manifests.ts";
import { isRunning, scale } from "./pools.ts";
import type { Workload } from "./workload.ts";

export const w20: Workload = {
  number: "W-20",
  title: "two relays of which one leads, the clock of the other 20 s ahead: scale 3, 6, 2",
  relays: "elected",
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simPool("p1", "c1", 3)}`);
    await user.until(() => isRunning(user, 3));
    // Longer than a lease lasts.
    await user.rest(60_000);
    await scale(user, 6);
    await user.until(() => isRunning(user, 6));
    await scale(user, 2);
    await user.until(() => isRunning(user, 2));
  },
};
