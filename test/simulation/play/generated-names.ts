import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Listed, Shown } from "./state.ts";

const MACHINES = "cluster.x-k8s.io/machines";
/** The end that `{{ .random }}` has in names. */
const RANDOM_END = /^(.+)-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/**
 * The same objects with `s1-*` in the place of the names that Machines of s1 were given by chance, wherever they occur.
 * Of several that have one name then, the second is `s1-*-2`; their order follows from `textOf`.
 */
export function withoutGeneratedNames(
  objects: readonly Listed[],
  textOf: (object: Shown) => string,
): readonly Listed[] {
  const masks = objects.flatMap(({ type, object }) =>
    type === MACHINES ? maskOf(object as KubeObject) : [],
  );
  if (masks.length === 0) return objects;
  const masked = objects.map(({ type, object }) => {
    const text = masks.reduce((all, [name, mask]) => all.replaceAll(name, mask), JSON.stringify(object));
    return { type, object: JSON.parse(text) as Shown };
  });
  const alike = Map.groupBy(
    masked,
    ({ type, object: { metadata } }) => `${type} ${metadata.namespace}/${metadata.name}`,
  );
  return [...alike.values()].flatMap((group) =>
    group
      .toSorted((a, b) => (textOf(a.object) < textOf(b.object) ? -1 : 1))
      .map((listed, index) => (index === 0 ? listed : numbered(listed, index + 1))),
  );
}

/** The name of a Machine with `*` in the place of a random end. */
export function maskRandomEnd(name: string): string {
  return name.replace(RANDOM_END, "$1-*");
}

function maskOf({ metadata }: KubeObject): readonly (readonly [name: string, mask: string])[] {
  const [, owner] = RANDOM_END.exec(metadata.name) ?? [];
  const isDerived = metadata.ownerReferences?.some(
    ({ name, controller }) => controller === true && name === owner,
  );
  return isDerived === true ? [[metadata.name, `${owner}-*`]] : [];
}

function numbered({ type, object }: Listed, number: number): Listed {
  const name = `${object.metadata.name}-${number}`;
  return { type, object: { ...object, metadata: { ...object.metadata, name } } };
}
