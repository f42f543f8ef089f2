import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { simLegacyCluster, simPool } from "../../support/manifests.ts";
import { isRunning } from "./pools.ts";
import type { Workload } from "./workload.ts";

export const w10: Workload = {
  number: "W-10",
  title: "control plane provider of contract v1beta1, infrastructure of v1beta2",
  async run(user) {
    await user.apply(`${simLegacyCluster("c1")}---${simPool("p1", "c1", 3)}`);
    await user.until(() => isRunning(user, 3));
    await user.delete(Cluster as Kind, "c1");
    await user.until(() => user.see(Cluster, "c1") === undefined);
  },
};
