import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Condition } from "../../../shared/api/conditions.ts";
import { valueAt } from "../../../shared/api/path.ts";

/** Returns a Cluster whose conditions have the types of the schema: another controller may have written them in any form. */
export function soundCluster(stored: Cluster): Cluster {
  return { ...stored, status: { ...stored.status, conditions: soundConditions(stored) } };
}

function soundConditions({ status }: Cluster): Condition[] {
  const given: unknown = status?.conditions;
  if (!Array.isArray(given)) return [];
  return given.flatMap((one: unknown) => {
    const of = (field: string): string => {
      const value = valueAt(one, field);
      return typeof value === "string" ? value : "";
    };
    const [type, lastTransitionTime] = [of("type"), of("lastTransitionTime")];
    const condition = {
      type,
      status: of("status"),
      reason: of("reason"),
      message: of("message"),
      lastTransitionTime,
    };
    return type === "" ? [] : [condition as Condition];
  });
}
