import type { Machine } from "../../api/machine/machine.ts";
import { compareText, conditionOf } from "../conditions/conditions.ts";
import { listNames } from "../conditions/list-names.ts";
import { LATE_DELETION_MS, LATE_DRAIN_MS, likelyDelays } from "./slow-deletion.ts";

const MAX_NAMES = 3;

/** The fields of a Machine that `staleMachines` reads. */
export const STALE_FIELDS = ["status.conditions[Deleting]", "status.deletion.nodeDrainStartTime"] as const;

/** Returns a line about the Machines whose deletion takes long; `undefined`: none does. */
export function staleMachines(machines: readonly Machine[], now: Date): string | undefined {
  const stale = machines.filter((machine) => staleInMs(machine, now) === 0);
  if (stale.length === 0) return undefined;
  const names = stale.map(({ metadata }) => metadata.name).toSorted(compareText);
  const [who, are] = names.length === 1 ? ["Machine", "is"] : ["Machines", "are"];
  const delays = likelyDelays(stale.map((machine) => longDrain(machine, now)).join("\n"));
  const why = delays.length === 0 ? "" : `, delay likely due to ${delays.join(", ")}`;
  return `${who} ${listNames(names, MAX_NAMES)} ${are} in deletion since more than 15m${why}`;
}

/** Returns when the first of the Machines will be stale; `undefined`: none will without another change. */
export function staleExpiresInMs(machines: readonly Machine[], now: Date): number | undefined {
  const left = machines.flatMap((machine) => staleInMs(machine, now) ?? []).filter((ms) => ms > 0);
  return left.length === 0 ? undefined : left.reduce((a, b) => Math.min(a, b));
}

/** Returns in how many ms it is stale, 0 where it is already; `undefined` where it is not being deleted. */
function staleInMs({ metadata }: Machine, now: Date): number | undefined {
  const deletedAt = Date.parse(metadata.deletionTimestamp ?? "");
  return Number.isNaN(deletedAt) ? undefined : Math.max(0, deletedAt + LATE_DELETION_MS - now.getTime());
}

/** Returns the message of a drain that takes long; empty: it does not, or the Machine is not drained. */
function longDrain({ status }: Machine, now: Date): string {
  const deleting = conditionOf(status?.conditions, "Deleting");
  const startedAt = Date.parse(status?.deletion?.nodeDrainStartTime ?? "");
  const isLong =
    deleting?.status === "True" &&
    deleting.reason === "DrainingNode" &&
    now.getTime() - startedAt > LATE_DRAIN_MS;
  return isLong ? deleting.message : "";
}
