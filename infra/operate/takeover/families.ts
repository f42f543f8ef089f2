import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL, tenantOf } from "../../../shared/api/indexes.ts";
import { type Kind, type KubeObject, type ObjectKey, objectKeyOf } from "../../../shared/api/kinds.ts";
import { TRAITS } from "../../../shared/api/traits.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { formatKey, type Key } from "../../../shared/runtime/queue/key.ts";
import { managedFieldsOf } from "../../../shared/runtime/write/field-managers.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";

/** The kinds whose controllers change with a Cluster. Those that make and remove others come first: they are paused first. */
export const FAMILIES: readonly Kind[] = TRAITS.flatMap(({ kind, takeOver }) =>
  takeOver === undefined ? [] : [{ kind, takeOver }],
)
  .toSorted((a, b) => a.takeOver - b.takeOver)
  .map(({ kind }) => kind);

/** An object of one of these kinds, read live. */
export interface Member {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/** Returns `<namespace>/<name>`. */
export function nameOf(object: KubeObject): string {
  const { namespace, name } = objectKeyOf(object);
  return `${namespace}/${name}`;
}

/** Returns the Cluster that an object belongs to, `<namespace>/<name>`. */
export function clusterOf({ kind, object }: Member): string {
  return tenantOf(kind, object);
}

/** Returns the objects of these Clusters, read live, in the order of `FAMILIES`. */
export async function membersOf(
  client: ServerClient,
  clusters: readonly ObjectKey[],
): Promise<readonly Member[]> {
  const [only, ...more] = clusters;
  if (only !== undefined && more.length === 0) return membersOfOne(client, only);
  const wanted = new Set(clusters.map(({ namespace, name }) => `${namespace}/${name}`));
  return (await allMembers(client)).filter((member) => wanted.has(clusterOf(member)));
}

async function membersOfOne(
  client: ServerClient,
  { namespace, name }: ObjectKey,
): Promise<readonly Member[]> {
  const lists = await Promise.all(
    FAMILIES.map(async (kind): Promise<readonly Member[]> => {
      if (kind === (Cluster as Kind)) {
        const object = await client.get(kind, { namespace, name });
        return object === undefined ? [] : [{ kind, object }];
      }
      const labelSelector = `${CLUSTER_NAME_LABEL}=${name}`;
      const { items } = await client.list(kind, { namespace, labelSelector });
      return items.map((object) => ({ kind, object }));
    }),
  );
  const cluster = `${namespace}/${name}`;
  return lists.flat().filter((member) => clusterOf(member) === cluster);
}

/** Returns all objects of these kinds, read live. */
export async function allMembers(client: ServerClient): Promise<readonly Member[]> {
  const lists = await Promise.all(
    FAMILIES.map(async (kind) => {
      const { items } = await client.list(kind, {});
      return items.map((object) => ({ kind, object }));
    }),
  );
  return lists.flat();
}

/** Returns the field managers of an object that was read live, each once. */
export function fieldManagersOf(object: KubeObject): readonly string[] {
  return [...new Set(managedFieldsOf(object).flatMap(({ manager }) => manager ?? []))];
}

/** Returns `<uid> <manager> <time>` of each entry of these managers. */
export function writesOf(object: KubeObject, managers: ReadonlySet<string>): readonly string[] {
  return managedFieldsOf(object)
    .filter(({ manager = "" }) => managers.has(manager))
    .map(({ manager, time }) => `${object.metadata.uid} ${manager} ${time}`);
}

/** Returns the functions that reconcile an object, each with its key in their queue. */
export function runsOf(
  { kind, object }: Member,
  functions: readonly AnyFunction[],
): readonly { readonly fn: AnyFunction; readonly key: Key }[] {
  return functions.flatMap((fn) => {
    const { reconciles } = fn.spec;
    if (reconciles.kind !== kind.kind || reconciles.group !== kind.group) return [];
    const tenant = tenantOf(reconciles, object);
    return [{ fn, key: formatKey({ ...objectKeyOf(object), kind: kind.kind, tenant }) }];
  });
}
