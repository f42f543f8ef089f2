import { Secret } from "../../../shared/api/core.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { simCluster, simPool } from "../../support/manifests.ts";
import { isRunning, pool } from "./pools.ts";
import type { Workload } from "./workload.ts";

export const w04: Workload = {
  number: "W-04",
  title: "pool deleted",
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simPool("p1", "c1", 3)}`);
    await user.until(() => isRunning(user, 3));
    await user.delete(MachinePool as Kind, "p1");
    await user.until(() => pool(user) === undefined);
    // A real garbage collector takes half a minute to hear of a new kind.
    await user.until(() => user.see(Secret as Kind, "p1-data") === undefined);
  },
};
