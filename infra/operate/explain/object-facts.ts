import { titleOf } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { traitsOf } from "../../../shared/api/traits.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { CURRENT, type Freshness } from "../../../shared/runtime/read/signs.ts";
import { type Detail, detailsOf } from "./details.ts";
import type { ObjectNode } from "./object-tree.ts";
import { rolloutDetails, rolloutFactsOf, standstillText } from "./rollout-facts.ts";
import { goodStatusOf } from "./siblings.ts";

/** The most important facts about an object. */
export interface ObjectFacts {
  /** `MachinePool default/p1`. */
  readonly object: string;
  readonly phase?: string;
  /** `3 of 5`. */
  readonly nodes?: string;
  readonly deletingSince?: string;
  /** Why the rollout of a MachineDeployment stands still. */
  readonly standsStill?: string;
  /** Why its snapshot is old, so that nothing here shows how it is now; absent: it is current. */
  readonly old?: string;
  /** Why it is not there. */
  readonly problem?: string;
  /** Conditions that show a problem. */
  readonly conditions: readonly Concern[];
  /** The details of Machines, MachineSets and MachineDeployments. */
  readonly details?: readonly Detail[];
}

export interface Concern {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Returns the facts of an object; those of a rollout only with the present time. */
export function factsOf(
  node: ObjectNode,
  { silenceOf }: Pick<Freshness, "silenceOf"> = CURRENT,
  now?: Date,
): ObjectFacts {
  const { kind, key, object, problem } = node;
  const silence = silenceOf(managementType(kind));
  const name = { object: titleOf(kind.kind, key), ...(silence && { old: silence.message }) };
  if (object === undefined) return { ...name, ...(problem ? { problem } : {}), conditions: [] };
  const phase = valueAt(object, "status.phase");
  const refs = valueAt(object, "status.nodeRefs");
  const replicas = valueAt(object, "spec.replicas");
  const nodes = Array.isArray(refs) ? refs.length : 0;
  const { deletionTimestamp } = object.metadata;
  const rollout = now && rolloutFactsOf(node, now);
  const standsStill = rollout && standstillText(rollout);
  const details = rollout === undefined ? detailsOf(kind, object) : rolloutDetails(rollout);
  return {
    ...name,
    ...(typeof phase === "string" ? { phase } : {}),
    ...(traitsOf(kind).ready?.nodes === true ? { nodes: `${nodes} of ${String(replicas ?? "?")}` } : {}),
    ...(deletionTimestamp === undefined ? {} : { deletingSince: deletionTimestamp }),
    ...(standsStill === undefined ? {} : { standsStill }),
    conditions: concernsOf(valueAt(object, "status.conditions")),
    ...(details.length === 0 ? {} : { details }),
  };
}

/** Conditions of providers are foreign data: malformed ones are left out. */
function concernsOf(conditions: unknown): readonly Concern[] {
  if (!Array.isArray(conditions)) return [];
  return conditions.flatMap((one: unknown) => {
    const [type, status, reason, message] = ["type", "status", "reason", "message"].map((field) =>
      String(valueAt(one, field) ?? ""),
    ) as [string, string, string, string];
    return type === "" || status === goodStatusOf(type) ? [] : [{ type, status, reason, message }];
  });
}
