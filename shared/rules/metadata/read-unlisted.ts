import { type Kind, type KubeObject, objectKeyOf } from "../../api/kinds.ts";
import type { LiveReader } from "../../function/reads.ts";

/**
 * Reads by name those of `known` that a live list lacks, and returns them behind the list: no list by label has an object
 * that has lost the label, and snapshots still show it.
 */
export async function withUnlisted<T extends KubeObject>(
  live: Pick<LiveReader, "get">,
  kind: Kind<T>,
  listed: readonly T[],
  known: readonly T[],
): Promise<readonly T[]> {
  const names = new Set(listed.map(({ metadata }) => metadata.name));
  const unlisted = known.filter(({ metadata }) => !names.has(metadata.name));
  const found = await Promise.all(unlisted.map((object) => live.get(kind, objectKeyOf(object))));
  return [...listed, ...found.filter((object) => object !== undefined)];
}
