import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { simCluster, simPool } from "../../support/manifests.ts";
import { isRunning } from "./pools.ts";
import type { Workload } from "./workload.ts";

const MINUTE = 60_000;
const PATH = "/metadata/annotations";
const PAUSED = "cluster.x-k8s.io/paused";

export const w17: Workload = {
  number: "W-17",
  title: "a Cluster paused by annotation is deleted, and goes when it is resumed",
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simPool("p1", "c1", 3)}`);
    await user.until(() => isRunning(user, 3));
    await user.patch(Cluster as Kind, "c1", [{ op: "add", path: PATH, value: { [PAUSED]: "" } }]);
    await user.rest(MINUTE);
    await user.delete(Cluster as Kind, "c1");
    await user.rest(3 * MINUTE);
    await user.patch(Cluster as Kind, "c1", [{ op: "remove", path: PATH }]);
    await user.until(() => user.see(Cluster, "c1") === undefined);
  },
};
