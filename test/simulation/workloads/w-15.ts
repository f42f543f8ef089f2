import { simCluster, simPool } from "../../support/manifests.ts";
import { isRunning, pool, scale } from "./pools.ts";
import type { Workload } from "./workload.ts";

const MIN_READY_SECONDS = 90;

export const w15: Workload = {
  number: "W-15",
  title: "pool whose Nodes count as available after 90 s: 3, 5, 2",
  async run(user) {
    const patient = simPool("p1", "c1", 3).replace(
      "      version: v1.34.2\n",
      `      version: v1.34.2\n      minReadySeconds: ${MIN_READY_SECONDS}\n`,
    );
    await user.apply(`${simCluster("c1")}---${patient}`);
    await user.until(() => isRunning(user, 3));
    await scale(user, 5);
    await user.until(() => isRunning(user, 5) && available(user) === 5);
    await scale(user, 2);
    await user.until(() => isRunning(user, 2) && available(user) === 2);
    await scale(user, 3);
    // The third is not available yet; only the passing of time makes it so.
    await user.until(() => isRunning(user, 3));
  },
};

function available(user: Parameters<Workload["run"]>[0]): number | undefined {
  return pool(user)?.status?.deprecated?.v1beta1?.availableReplicas;
}
