import type { Member, Selection } from "../../../shared/api/indexes.ts";
import { indexesOf, memberOf } from "../../../shared/api/indexes.ts";
import type { KubeObject, ObjectMeta } from "../../../shared/api/kinds.ts";
import type { KindLookup } from "../../../shared/api/registry.ts";
import type { TypeKey } from "../../../shared/runtime/ports.ts";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";

/** The fields by which two versions of an object are compared. */
export interface Version {
  readonly uid: string;
  readonly resourceVersion: string;
}

export function versionOf({ metadata }: KubeObject): Version {
  return { uid: metadata.uid ?? "", resourceVersion: metadata.resourceVersion ?? "" };
}

/** Returns whether `stored` is the same object as `arriving`, and not older. */
export function isAsNew(stored: Version, arriving: Version): boolean {
  return stored.uid === arriving.uid && isAtLeast(stored.resourceVersion, arriving.resourceVersion);
}

export interface Placement {
  readonly member: Member;
  readonly entries: readonly { readonly name: string; readonly value: string }[];
}

/** Returns an object as its indexes show it, and its index entries. */
export function placementOf(kindOf: KindLookup, { group, kind }: TypeKey, object: KubeObject): Placement {
  const known = kindOf(group, kind);
  return { member: Object.freeze(memberOf(known, object)), entries: indexesOf(known, object) };
}

export function isSelected(object: KubeObject, { namespace }: Selection): boolean {
  return namespace === undefined || (object.metadata.namespace ?? "") === namespace;
}

/** Sorts by namespace, then name, by code unit. */
export function inOrder<T>(
  items: readonly T[],
  keyOf: (item: T) => Pick<ObjectMeta, "namespace" | "name">,
): readonly T[] {
  return [...items].sort((x, y) => {
    const a = keyOf(x);
    const b = keyOf(y);
    return compare(a.namespace ?? "", b.namespace ?? "") || compare(a.name, b.name);
  });
}

/** Freezes a JSON value with all its members, without recursion: hostile objects are deep. */
export function freezeDeep<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const value of Object.values(next)) open.push(value);
  }
  return value;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
