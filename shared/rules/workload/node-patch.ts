import type { Node } from "../../api/core.ts";
import type { PatchOperation } from "../../api/patch.ts";
import { escapePointer } from "../../api/path.ts";

/** A change of the labels or annotations of a Node. Keys to remove that it does not have are left out. */
interface KeyChange {
  readonly set: { readonly [key: string]: string };
  readonly remove?: readonly string[];
}

/**
 * Operations that change labels or annotations of a Node and leave the others; none when all is right already. Nodes
 * are patched without a version, so a whole map may only be added where it is absent.
 */
export function nodeKeysPatch(
  { metadata }: Node,
  map: "labels" | "annotations",
  { set, remove = [] }: KeyChange,
): readonly PatchOperation[] {
  const stored = metadata[map];
  const changed = Object.entries(set).filter(([key, value]) => stored?.[key] !== value);
  const at = (key: string) => `/metadata/${map}/${escapePointer(key)}`;
  if (stored === undefined) {
    const path = `/metadata/${map}`;
    return changed.length === 0 ? [] : addedWhole(path, Object.fromEntries(changed));
  }
  return [
    ...remove
      .filter((key) => Object.hasOwn(stored, key))
      .map((key) => ({ op: "remove", path: at(key) }) as const),
    ...changed.map(([key, value]) => ({ op: "add", path: at(key), value }) as const),
  ];
}

/** A taint by what identifies it. */
export type TaintKey = Pick<Taint, "key" | "effect">;
export type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

/** A change of the taints of a Node: those that `isGone` are removed, those of `set` are there with their value. */
interface TaintChange {
  readonly isGone: (taint: TaintKey) => boolean;
  readonly set?: readonly Taint[];
}

/**
 * Operations that change taints of a Node and leave the others; none when all is right already. Every taint that
 * changes is tested by key and effect at its index: its other fields may differ from a snapshot's (`timeAdded`). From
 * the last index to the first, so that the indexes in front stay valid.
 */
export function nodeTaintsPatch(node: Node, { isGone, set = [] }: TaintChange): readonly PatchOperation[] {
  const taints = node.spec?.taints;
  const wanted = new Map(set.map((taint) => [taintText(taint), taint]));
  const changed = [...(taints ?? []).entries()].toReversed().flatMap(([index, taint]) => {
    const change = isGone(taint) ? "gone" : wanted.get(taintText(taint));
    return taintPatch(`/spec/taints/${index}`, taint, change);
  });
  const stored = new Set((taints ?? []).map(taintText));
  const added = [...wanted].filter(([text]) => !stored.has(text)).map(([, taint]) => taint);
  if (taints === undefined) return added.length === 0 ? [] : addedWhole("/spec/taints", added);
  return [...changed, ...added.map((value) => ({ op: "add", path: "/spec/taints/-", value }) as const)];
}

/** Returns `key:effect`, which no two taints of a Node share. */
export function taintText({ key, effect }: TaintKey): string {
  return `${key}:${effect}`;
}

function taintPatch(
  path: string,
  taint: Taint,
  change: "gone" | Taint | undefined,
): readonly PatchOperation[] {
  if (change === undefined || (change !== "gone" && (change.value ?? "") === (taint.value ?? ""))) return [];
  const tests: readonly PatchOperation[] = [
    { op: "test", path: `${path}/key`, value: taint.key },
    { op: "test", path: `${path}/effect`, value: taint.effect },
  ];
  if (change === "gone") return [...tests, { op: "remove", path }];
  const value = `${path}/value`;
  return [
    ...tests,
    change.value === undefined
      ? { op: "remove", path: value }
      : { op: "add", path: value, value: change.value },
  ];
}

function addedWhole(path: string, value: unknown): readonly PatchOperation[] {
  return [
    { op: "test", path, value: null },
    { op: "add", path, value },
  ];
}

/** Keeps pods away from a Node until it is known; who marks the Node removes it. */
export const UNINITIALIZED: TaintKey = { key: "node.cluster.x-k8s.io/uninitialized", effect: "NoSchedule" };

/** Whether two taints are the same one, whatever their values. */
export function isSameTaint(a: TaintKey, b: TaintKey): boolean {
  return a.key === b.key && a.effect === b.effect;
}
