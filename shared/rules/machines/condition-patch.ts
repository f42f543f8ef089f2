import type { Condition, DeprecatedCondition } from "../../api/conditions.ts";
import type { Machine } from "../../api/machine/machine.ts";
import type { PatchOperation } from "../../api/patch.ts";
import { sameJson } from "../../api/path.ts";
import { type DesiredCondition, setConditions } from "../conditions/conditions.ts";
import {
  type DesiredDeprecatedCondition,
  saysAll,
  setDeprecatedConditions,
} from "../conditions/deprecated-conditions.ts";

const PRESENT = "/status/conditions";
const DEPRECATED = "/status/deprecated/v1beta1/conditions";

/** Changes of the conditions of a Machine: what it gets in each family, and which types it loses in both. */
export interface ConditionChanges {
  readonly present?: readonly DesiredCondition[];
  readonly deprecated?: readonly DesiredDeprecatedCondition[];
  readonly removed?: readonly string[];
}

/**
 * Returns operations on `/status` of a Machine that set these conditions, each at its sorted place, and leave the
 * others; none when all is right already. They count in both lists, so they hold for one version only.
 */
export function conditionOperations(
  { status, metadata }: Machine,
  { present = [], deprecated = [], removed = [] }: ConditionChanges,
  now: Date,
): readonly PatchOperation[] {
  const older = status?.deprecated?.v1beta1?.conditions;
  const changes = changesOf(status?.conditions, present);
  // Mostly so, for each of thousands of Machines in each run.
  if (changes.length === 0 && removed.length === 0 && saysAll(older, deprecated)) return [];
  const stays = ({ type }: { readonly type: string }) => !removed.includes(type);
  const after = setConditions(status?.conditions, changes, now, metadata.generation);
  const olderAfter = setDeprecatedConditions(older, deprecated, now);
  const wanted = { present: after.filter(stays), deprecated: olderAfter.filter(stays) };
  const operations = [
    ...listOperations(PRESENT, status?.conditions, wanted.present),
    ...listOperations(DEPRECATED, older, wanted.deprecated),
  ];
  return operations.length === 0 ? [] : withParents(status, operations);
}

/** A condition that says the same already keeps the generation that it was made from. */
function changesOf(
  stored: readonly Condition[] | undefined,
  desired: readonly DesiredCondition[],
): readonly DesiredCondition[] {
  return desired.filter(({ type, status, reason, message }) => {
    const before = stored?.find((condition) => condition.type === type);
    return before?.status !== status || before.reason !== reason || before.message !== message;
  });
}

type Element = Condition | DeprecatedCondition;

/** Removals from the back, then replacements and additions in the order of the new list. */
function listOperations(
  path: string,
  before: readonly Element[] | undefined,
  after: readonly Element[],
): readonly PatchOperation[] {
  const typesAfter = new Map(after.map((element) => [element.type, element]));
  const current = [...(before ?? [])];
  const operations: PatchOperation[] = [];
  for (let index = current.length - 1; index >= 0; index--) {
    const wanted = typesAfter.get(current[index]?.type ?? "");
    if (wanted === undefined) {
      operations.push({ op: "remove", path: `${path}/${index}` });
      current.splice(index, 1);
    } else if (!sameJson(wanted, current[index])) {
      operations.push({ op: "replace", path: `${path}/${index}`, value: wanted });
    }
  }
  const known = new Set(current.map(({ type }) => type));
  for (const [index, element] of after.entries()) {
    if (known.has(element.type)) continue;
    const place = Math.min(index, current.length);
    operations.push({ op: "add", path: `${path}/${place}`, value: element });
    current.splice(place, 0, element);
  }
  return operations;
}

/** A JSON patch adds no parents: those that are missing are added empty, in front. */
function withParents(
  status: Machine["status"],
  operations: readonly PatchOperation[],
): readonly PatchOperation[] {
  const touches = (list: string) => operations.some(({ path }) => path.startsWith(`${list}/`));
  const parents: PatchOperation[] = [];
  const add = (path: string, value: unknown) => parents.push({ op: "add", path, value });
  if (status === undefined) add("/status", {});
  if (touches(PRESENT) && status?.conditions === undefined) add(PRESENT, []);
  if (touches(DEPRECATED)) {
    if (status?.deprecated === undefined) add("/status/deprecated", {});
    if (status?.deprecated?.v1beta1 === undefined) add("/status/deprecated/v1beta1", {});
    if (status?.deprecated?.v1beta1?.conditions === undefined) add(DEPRECATED, []);
  }
  return [...parents, ...operations];
}
