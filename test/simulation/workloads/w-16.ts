import { SimMachinePool } from "../../../infra/playground/api/sim-machinepool.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { MAX_SIZE, MIN_SIZE } from "../../../shared/rules/machines/node-group-size.ts";
import { simCluster, simPool } from "../../support/manifests.ts";
import type { User } from "../play/user.ts";
import { isRunning, pool, scale } from "./pools.ts";
import type { Workload } from "./workload.ts";

const MINUTE = 60_000;

export const w16: Workload = {
  number: "W-16",
  title: "pool without replicas: the autoscaler's minimum; none at all while the provider lists nothing",
  async run(user) {
    const autoscaled = simPool("p1", "c1", 0)
      .replace("  replicas: 0\n", "")
      .replace(
        "metadata: { name: p1,",
        `metadata: { annotations: { ${MIN_SIZE}: "2", ${MAX_SIZE}: "9" }, name: p1,`,
      );
    await user.apply(`${simCluster("c1")}---${autoscaled}`);
    await user.until(() => isRunning(user, 2));
    await scale(user, 3);
    await user.until(() => isRunning(user, 3));
    // A minimum that is not a number is not a default: replicas stay absent, which is not 0.
    await annotate(user, "few");
    await list(user, []);
    // The provider reports nothing of a pool without replicas: the empty list has to be there before, unless
    // X-44 ends it.
    await user.until(() => pool(user)?.spec.providerIDList?.length === 0 || !isLying(user));
    await user.patch(MachinePool as Kind, "p1", [{ op: "remove", path: "/spec/replicas" }]);
    await user.rest(3 * MINUTE);
    await list(user, undefined);
    await annotate(user, "2");
    await user.until(() => pool(user)?.spec.replicas === 2 && isRunning(user, 2));
  },
};

async function annotate(user: User, value: string): Promise<void> {
  const path = `/metadata/annotations/${MIN_SIZE.replace("/", "~1")}`;
  await user.patch(MachinePool as Kind, "p1", [{ op: "add", path, value }]);
}

function isLying(user: User): boolean {
  return user.see(SimMachinePool, "p1")?.spec.faults?.providerIDList !== undefined;
}

/** The provider lists these instead of the instances that run; undefined: the truth. */
async function list(user: User, providerIDList: readonly string[] | undefined): Promise<void> {
  const value = providerIDList === undefined ? {} : { providerIDList, replicas: providerIDList.length };
  await user.patch(SimMachinePool as Kind, "p1", [{ op: "add", path: "/spec/faults", value }]);
}
