import type { Condition } from "../../api/conditions.ts";
import type { KubeObject } from "../../api/kinds.ts";
import type { Pausing } from "../../function/guards.ts";
import { setConditions } from "../conditions/conditions.ts";
import { pausedCondition } from "../conditions/paused-condition.ts";

/** A status with the condition `Paused`. */
interface Reported {
  readonly conditions?: readonly Condition[] | undefined;
}

/** Returns the status of a paused object: everything as it was, but for `Paused`. */
export function pausedStatus<S extends Reported>(
  object: KubeObject & { readonly status?: S | undefined },
  cluster: Pausing | undefined,
  now: Date,
): S {
  const paused = pausedCondition(cluster, object, object.kind);
  const conditions = setConditions(object.status?.conditions, [paused], now, object.metadata.generation);
  return { ...object.status, conditions } as S;
}
