import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { type DesiredCondition, setConditions } from "../../../shared/rules/conditions/conditions.ts";

/** Operations on the status of a Machine that set one condition and leave the others; none when it is right already. */
export function conditionPatch(
  { status, metadata }: Machine,
  desired: DesiredCondition,
  now: Date,
): readonly PatchOperation[] {
  const index = status?.conditions?.findIndex(({ type }) => type === desired.type) ?? -1;
  const stored = status?.conditions?.[index];
  const { reason, message } = desired;
  if (stored?.status === desired.status && stored.reason === reason && stored.message === message) return [];
  const [value] = setConditions(stored === undefined ? [] : [stored], [desired], now, metadata.generation);
  if (status === undefined) return [{ op: "add", path: "/status", value: { conditions: [value] } }];
  if (status.conditions === undefined) return [{ op: "add", path: "/status/conditions", value: [value] }];
  const path = `/status/conditions/${index}`;
  return index < 0 ? [{ op: "add", path: "/status/conditions/-", value }] : [{ op: "replace", path, value }];
}
