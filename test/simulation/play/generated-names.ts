import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Listed, Shown } from "./state.ts";

const MACHINES = "cluster.x-k8s.io/machines";
const SETS = "cluster.x-k8s.io/machinesets";
const INSTANCES = "cloud.sim.capstan.dev/siminstances";
const POOL_LABEL = "infrastructure.sim.capstan.dev/pool-name";
/** The end that `{{ .random }}` has in names. */
const RANDOM_END = /^(.+)-[bcdfghjklmnpqrstvwxz2456789]{5}$/;

/** A name as it occurs in the JSON of an object, and what stands in its place. */
type Mask = readonly [name: string | RegExp, mask: string];

/**
 * The same objects with `s1-*` in the place of the names that Machines of s1 were given by chance, wherever they occur.
 * Of several that have one name then, the second is `s1-*-2`; their order follows from `textOf`, and what belongs to a
 * Machine has its number. The instances of a pool
 * are counted from 0: a place that is still taken when another instance is due makes the next one `p1-5`.
 */
export function withoutGeneratedNames(
  objects: readonly Listed[],
  textOf: (object: Shown) => string,
): readonly Listed[] {
  const all = (wanted: string) =>
    objects.filter(({ type }) => type === wanted).map(({ object }) => object as KubeObject);
  const masks: readonly Mask[] = [
    ...all(MACHINES).flatMap(maskOf),
    ...all(SETS).flatMap(maskOf).flatMap(withHash),
    ...placesOf(all(INSTANCES)),
  ];
  if (masks.length === 0) return objects;
  const masked = objects.map(({ type, object }): Masked => {
    const text = masks.reduce((whole, [name, mask]) => whole.replaceAll(name, mask), JSON.stringify(object));
    const shown = JSON.parse(text) as Shown;
    return { type, object: shown, name: object.metadata.name, text: textOf(shown) };
  });
  const ranks = new Map(
    masked
      .filter(({ type }) => type === MACHINES)
      .toSorted(byText)
      .map(withRank),
  );
  /** Objects made for a Machine have its name, or one that begins with it. */
  const rankOf = (name: string): number =>
    ranks.get(name) ?? ranks.get(/^.+-[a-z0-9]{5}(?=-)/.exec(name)?.[0] ?? "") ?? -1;
  const alike = Map.groupBy(
    masked,
    ({ type, object: { metadata } }) => `${type} ${metadata.namespace}/${metadata.name}`,
  );
  return [...alike.values()].flatMap((group) =>
    group
      .toSorted((a, b) => rankOf(a.name) - rankOf(b.name) || byText(a, b))
      .map(({ type, object }, index) =>
        index === 0 ? { type, object } : numbered({ type, object }, index + 1),
      ),
  );
}

interface Masked extends Listed {
  /** Before it was masked. */
  readonly name: string;
  readonly text: string;
}

function byText(a: Masked, b: Masked): number {
  return a.text < b.text ? -1 : 1;
}

function withRank({ name }: Masked, rank: number): readonly [name: string, rank: number] {
  return [name, rank];
}

/** The name of a Machine or set with `*` in the place of its random end, and of that of the set whose Machine it is. */
export function maskRandomEnds(name: string): string {
  return name.replaceAll(/-[bcdfghjklmnpqrstvwxz2456789]{5}(?=-|$)/g, "-*");
}

/** In the order of their indexes: what is renamed never has the name of one that is still to be renamed. */
function placesOf(instances: readonly KubeObject[]): readonly Mask[] {
  const pools = Map.groupBy(instances, ({ metadata }) => metadata.labels?.[POOL_LABEL]);
  pools.delete(undefined);
  return [...pools].flatMap(([pool, own]) =>
    own
      .map(({ metadata }) => metadata.name)
      .toSorted((a, b) => indexIn(a) - indexIn(b))
      .map((name, place) => ({ name, mask: `${pool}-${place}` }))
      .filter(({ name, mask }) => name !== mask)
      .map(({ name, mask }): Mask => [new RegExp(`(?<![\\w-])${name}(?!\\d)`, "g"), mask]),
  );
}

function indexIn(name: string): number {
  return Number(name.slice(name.lastIndexOf("-") + 1));
}

function maskOf({ metadata }: KubeObject): readonly (readonly [string, string])[] {
  const [, owner] = RANDOM_END.exec(metadata.name) ?? [];
  const isDerived = metadata.ownerReferences?.some(
    ({ name, controller }) => controller === true && name === owner,
  );
  return isDerived === true ? [[metadata.name, `${owner}-*`]] : [];
}

/** The hash of a set ends like its name, and its Machines have it as a label. */
function withHash([name, mask]: readonly [string, string]): readonly Mask[] {
  return [
    [name, mask],
    [new RegExp(`\\b\\d+-${name.slice(-5)}\\b`, "g"), "*"],
  ];
}

function numbered({ type, object }: Listed, number: number): Listed {
  const name = `${object.metadata.name}-${number}`;
  return { type, object: { ...object, metadata: { ...object.metadata, name } } };
}
