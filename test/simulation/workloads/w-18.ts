import { SimMachinePool } from "../../../infra/playground/api/sim-machinepool.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { simCluster, simPool } from "../../support/manifests.ts";
import type { User } from "../play/user.ts";
import { isRunning, pool } from "./pools.ts";
import type { Workload } from "./workload.ts";

const MINUTE = 60_000;

export const w18: Workload = {
  number: "W-18",
  title: "two pools list one Node: it stays with the older",
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simPool("p1", "c1", 3)}`);
    await user.until(() => isRunning(user, 3));
    await user.apply(simPool("p2", "c1", 1));
    await user.until(() => isRunning(user, 1, "p2"));
    for (let round = 0; round < 2; round += 1) {
      const ids = ["p2", "p1"].flatMap((name) => pool(user, name)?.spec.providerIDList?.slice(0, 1) ?? []);
      await report(user, { providerIDList: ids, replicas: ids.length });
      await user.rest(3 * MINUTE);
      await report(user, {});
      await user.until(() => isRunning(user, 1, "p2") && isRunning(user, 3));
    }
  },
};

/** False report of the provider of p2. */
async function report(user: User, value: object): Promise<void> {
  await user.patch(SimMachinePool as Kind, "p2", [{ op: "add", path: "/spec/faults", value }]);
}
