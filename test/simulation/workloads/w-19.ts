import { Machine } from "../../../shared/api/machine/machine.ts";
import { simCluster } from "../../support/manifests.ts";
import { handOver, isAlive, remediatedPool } from "./machines.ts";
import { hasNodes } from "./pools.ts";
import type { Workload } from "./workload.ts";

export const w19: Workload = {
  number: "W-19",
  title: "20 % of 3 Machines may be remediated at a time: one after the other",
  async run(user) {
    await user.apply(`${simCluster("c1")}---${remediatedPool("20%")}`);
    await user.until(() => hasNodes(user, 3) && user.list(Machine).length === 3);
    const sick = user.list(Machine).slice(0, 2);
    for (const { metadata } of sick) await handOver(user, metadata.name);
    await user.until(() => sick.every((machine) => !isAlive(user, machine)));
    await user.until(
      () => hasNodes(user, 3) && user.list(Machine).filter((each) => isAlive(user, each)).length === 3,
    );
  },
};
