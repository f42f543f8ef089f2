import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { simCluster } from "../../support/manifests.ts";
import { handOver, isAlive, remediatedPool } from "./machines.ts";
import { hasNodes } from "./pools.ts";
import type { Workload } from "./workload.ts";

export const w13: Workload = {
  number: "W-13",
  title: "whole cluster deleted in the middle of remediation",
  isRace: true,
  async run(user) {
    await user.apply(`${simCluster("c1")}---${remediatedPool("1")}`);
    await user.until(() => hasNodes(user, 3) && user.list(Machine).length === 3);
    const sick = user.list(Machine).slice(0, 2);
    for (const { metadata } of sick) await handOver(user, metadata.name);
    await user.until(() => sick.some((machine) => !isAlive(user, machine)));
    await user.delete(Cluster as Kind, "c1");
    await user.until(() => user.see(Cluster, "c1") === undefined);
  },
};
