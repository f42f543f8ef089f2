import { SimMachinePool } from "../../../infra/playground/api/sim-machinepool.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { simCluster, simPool } from "../../support/manifests.ts";
import type { User } from "../play/user.ts";
import { isRunning, pool } from "./pools.ts";
import type { Workload } from "./workload.ts";

export const w14: Workload = {
  number: "W-14",
  title: "pool scaled by the cloud's own autoscaler: 3, 6, 2",
  scale: chooseReplicas,
  async run(user) {
    const managed = simPool("p1", "c1", 3).replace(
      "metadata: { name: p1,",
      "metadata: { annotations: { cluster.x-k8s.io/replicas-managed-by: autoscaler }, name: p1,",
    );
    await user.apply(`${simCluster("c1")}---${managed}`);
    await user.until(() => isRunning(user, 3));
    for (const replicas of [6, 2]) {
      await chooseReplicas(user, replicas);
      await user.until(() => pool(user)?.spec.replicas === replicas && isRunning(user, replicas));
    }
  },
};

async function chooseReplicas(user: User, value: number): Promise<void> {
  await user.patch(SimMachinePool as Kind, "p1", [{ op: "add", path: "/spec/replicas", value }]);
}
