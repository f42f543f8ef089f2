import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { simCluster, simPool } from "../../support/manifests.ts";
import type { User } from "../play/user.ts";
import { isRunning, pool, scale } from "./pools.ts";
import type { Workload } from "./workload.ts";

const MINUTE = 60_000;

export const w11: Workload = {
  number: "W-11",
  title: "pause in the middle, edits while paused, resume",
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simPool("p1", "c1", 3)}`);
    await user.until(() => pool(user)?.metadata.finalizers !== undefined);
    await pause(user, true);
    await user.rest(2 * MINUTE);
    await scale(user, 5);
    await user.rest(MINUTE);
    await pause(user, false);
    await user.until(() => isRunning(user, 5));
    await pause(user, true);
    await scale(user, 4);
    await user.rest(2 * MINUTE);
    await pause(user, false);
    await user.until(() => isRunning(user, 4));
  },
};

async function pause(user: User, value: boolean): Promise<void> {
  await user.patch(Cluster as Kind, "c1", [{ op: "add", path: "/spec/paused", value }]);
}
