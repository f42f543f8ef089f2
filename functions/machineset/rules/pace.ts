import type { Machine } from "../../../shared/api/machine/machine.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import type { HeldBack } from "../../../shared/rules/status/pace.ts";
import type { StatusView } from "./view.ts";

/** Holds the status of a set back while all Machines that come or go have just begun to: one that takes long ends it. */
export const GROUP: HeldBack<Pick<StatusView, "set" | "machines">> = {
  row: "group",
  since: ({ set, machines }) =>
    isDeleting(set) ? undefined : machines.flatMap((machine) => begunAt(machine) ?? []).toSorted()[0],
};

/** Returns since when a Machine is on its way: to be available, or to be gone. */
function begunAt({ metadata, status }: Machine): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return metadata.deletionTimestamp;
  const isAvailable = conditionOf(status?.conditions, "Available")?.status === "True";
  return isAvailable ? undefined : metadata.creationTimestamp;
}
