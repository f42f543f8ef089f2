import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { isOverdue, standstill } from "../../../shared/rules/rollout/standstill.ts";
import type { Clock, Store } from "../../../shared/runtime/ports.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { readFreshness } from "../../../shared/runtime/read/signs.ts";
import type { Metrics } from "./metrics.ts";

type Snapshots = Pick<Store, "each" | "list" | "signs">;

const DEPLOYMENTS = managementType(MachineDeployment);
const SETS = managementType(MachineSet);

/** Conditions one of which is True while a rollout is on its way. */
const MOVING = ["RollingOut", "ScalingUp", "ScalingDown"];
/** A standstill is one of ten minutes: scrapes of a minute share a look. */
const LOOK_MS = 60 * SECOND;

/**
 * Shows how many rollouts have stood still for ten minutes; nothing while the read model does not answer or is old. At most once a
 * minute it goes through the deployments, some at a time; most are at rest and cost no more than their own snapshot.
 */
export function meterRollouts(store: Snapshots, metrics: Metrics, clock: Clock): void {
  let look: { readonly at: number; readonly count: Promise<number> } | undefined;
  metrics.onScrape(async () => {
    const now = clock.now();
    if (look === undefined || now.getTime() - look.at >= LOOK_MS)
      look = { at: now.getTime(), count: countStuck(store, now) };
    try {
      metrics.set("capstan_rollouts_standing_still", {}, await look.count);
    } catch {
      // Not known; capstan_queue_reachable or capstan_relay_silent_seconds say so.
      metrics.clear("capstan_rollouts_standing_still");
      look = undefined;
    }
  });
}

async function countStuck(store: Snapshots, now: Date): Promise<number> {
  const { silenceOf } = await readFreshness(store, now);
  const silence = silenceOf(DEPLOYMENTS) ?? silenceOf(SETS);
  if (silence !== undefined) throw new Error(silence.message);
  let count = 0;
  for await (const deployment of store.each(DEPLOYMENTS))
    if (await isStuck(store, deployment as MachineDeployment, now)) count += 1;
  return count;
}

async function isStuck(store: Snapshots, deployment: MachineDeployment, now: Date): Promise<boolean> {
  const { metadata, status } = deployment;
  if (MOVING.every((type) => conditionOf(status?.conditions, type)?.status !== "True")) return false;
  const index = { name: "owner", values: [metadata.uid ?? ""] };
  const sets = (await store.list(SETS, { index })) as readonly MachineSet[];
  const found = standstill({ deployment, sets, machines: [], now });
  return found !== undefined && isOverdue(found, now);
}
