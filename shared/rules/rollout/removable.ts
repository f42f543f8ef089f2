import type { PlanSet } from "./plan-types.ts";
import { isResizable } from "./sizes.ts";

/** Whether an old set has ended: it lives, wants no Machine, has none, and its counts are about that wish. */
export function removable(set: PlanSet): boolean {
  return isResizable(set) && set.replicas === 0 && set.status?.observed === true && set.status.replicas === 0;
}
