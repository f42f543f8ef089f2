import type { PatchOperation } from "../../api/patch.ts";

/** A member with a default, of an object that may be absent, too. */
export interface AbsentDefault<K extends string, T> {
  /** JSON pointer to the object. */
  readonly path: string;
  readonly parent: { readonly [name in K]?: T | undefined } | undefined;
  readonly member: K;
  readonly value: T;
}

/** Returns what adds a default that is absent; admission sets it where it runs, so that it is never absent there. */
export function absentDefaultPatch<K extends string, T>({
  path,
  parent,
  member,
  value,
}: AbsentDefault<K, T>): readonly PatchOperation[] {
  if (parent === undefined) return [{ op: "add", path, value: { [member]: value } }];
  return parent[member] === undefined ? [{ op: "add", path: `${path}/${member}`, value }] : [];
}
