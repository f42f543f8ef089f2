import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { isOverdue, standstill } from "../../../shared/rules/rollout/standstill.ts";
import type { Clock, Store } from "../../../shared/runtime/ports.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import type { Metrics } from "./metrics.ts";

type Snapshots = Pick<Store, "list">;

/** Conditions one of which is True while a rollout is on its way. */
const MOVING = ["RollingOut", "ScalingUp", "ScalingDown"];

/**
 * Shows at each scrape how many rollouts have stood still for ten minutes; without an answer of the read model nothing.
 * Most deployments are at rest: only others cost more than their own snapshot.
 */
export function meterRollouts(store: Snapshots, metrics: Metrics, clock: Clock): void {
  metrics.onScrape(async () => {
    metrics.clear("capstan_rollouts_standing_still");
    try {
      metrics.set("capstan_rollouts_standing_still", {}, await countStuck(store, clock.now()));
    } catch {
      // Not known; capstan_queue_reachable says so.
    }
  });
}

async function countStuck(store: Snapshots, now: Date): Promise<number> {
  const deployments = (await store.list(
    managementType(MachineDeployment),
    {},
  )) as readonly MachineDeployment[];
  const moving = deployments.filter(({ status }) =>
    MOVING.some((type) => conditionOf(status?.conditions, type)?.status === "True"),
  );
  const stuck = await Promise.all(moving.map((deployment) => isStuck(store, deployment, now)));
  return stuck.filter(Boolean).length;
}

async function isStuck(store: Snapshots, deployment: MachineDeployment, now: Date): Promise<boolean> {
  const { uid = "" } = deployment.metadata;
  const index = { name: "owner", values: [uid] };
  const sets = (await store.list(managementType(MachineSet), { index })) as readonly MachineSet[];
  const found = standstill({ deployment, sets, machines: [], now });
  return found !== undefined && isOverdue(found, now);
}
