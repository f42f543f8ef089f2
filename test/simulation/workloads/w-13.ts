import { Cluster } from "../../../shared/api/cluster.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine.ts";
import { REMEDIATION_LIMIT } from "../../../shared/rules/pool-remediation.ts";
import { simCluster, simPoolWithMachines } from "../../support/manifests.ts";
import type { User } from "../user.ts";
import { hasNodes } from "./pools.ts";
import type { Workload } from "./workload.ts";

/** What a MachineHealthCheck leaves on an unhealthy Machine. */
const HANDED_OVER = ["HealthCheckSucceeded", "OwnerRemediated"].map((type) => ({
  type,
  status: "False",
  reason: "WaitingForRemediation",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
}));

export const w13: Workload = {
  number: "W-13",
  title: "whole cluster deleted in the middle of remediation",
  isRace: true,
  async run(user) {
    const pool = simPoolWithMachines("p1", "c1", 3).replace(
      "metadata: { name: p1,",
      `metadata: { annotations: { ${REMEDIATION_LIMIT}: "1" }, name: p1,`,
    );
    await user.apply(`${simCluster("c1")}---${pool}`);
    await user.until(() => hasNodes(user, 3) && user.list(Machine).length === 3);
    const sick = user.list(Machine).slice(0, 2);
    for (const { metadata } of sick) await handOver(user, metadata.name);
    await user.until(() => sick.some((machine) => !isAlive(user, machine)));
    await user.delete(Cluster as Kind, "c1");
    await user.until(() => user.see(Cluster, "c1") === undefined);
  },
};

async function handOver(user: User, name: string): Promise<void> {
  const operations = [{ op: "add", path: "/status/conditions", value: HANDED_OVER }] as const;
  await user.patch(Machine as Kind, name, operations, "status");
}

function isAlive(user: User, { metadata }: Machine): boolean {
  const now = user.see(Machine, metadata.name)?.metadata;
  return now !== undefined && now.uid === metadata.uid && now.deletionTimestamp === undefined;
}
