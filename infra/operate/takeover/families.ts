import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL, tenantOf } from "../../../shared/api/indexes.ts";
import { type Kind, type KubeObject, type ObjectKey, objectKeyOf } from "../../../shared/api/kinds.ts";
import { TRAITS } from "../../../shared/api/traits.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import type { ReadHistory } from "../../../shared/runtime/letters/run-history.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { formatKey, type Key } from "../../../shared/runtime/queue/key.ts";
import { managedFieldsOf } from "../../../shared/runtime/write/field-managers.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { rest } from "../../platform/rest.ts";

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

const LOOK_MS = 100;
const WITHIN_MS = 60 * SECOND;
/** No run lasts longer: a worker ends it. */
const LONGEST_RUN_MS = 30 * SECOND;

/**
 * Waits until the runs of Capstan for these paused objects that began before the pause have ended: by its queue where it
 * can be asked, else as long as a run may last. Throws with the keys that still run after a minute.
 */
export async function untilIdle(
  members: readonly Member[],
  {
    functions,
    ask,
    clock,
  }: {
    readonly functions: readonly AnyFunction[];
    /** Returns who knows the state of keys now; absent: the queue cannot be asked. */
    readonly ask: (() => ReadHistory) | undefined;
    readonly clock: Clock;
  },
): Promise<void> {
  if (ask === undefined) return rest(LONGEST_RUN_MS, clock);
  const until = clock.now().getTime() + WITHIN_MS;
  let busy = members.flatMap((member) => runsOf(member, functions));
  for (;;) {
    const history = ask();
    const states = await Promise.all(busy.map(({ fn, key }) => history(fn.spec.name, key)));
    // A run that begins from now on sees the pause, and later the label of the other controller: it writes nothing.
    busy = busy.filter((_run, at) => states[at]?.state?.state === "running");
    if (busy.length === 0) return;
    if (clock.now().getTime() > until) {
      const [first] = busy;
      throw new Error(
        `Capstan still works on ${busy.length} keys, such as ${first?.fn.spec.name} ${first?.key}; capstan queue shows them. ` +
          "Nothing has changed hands: continue with the same command, or return with the other one",
      );
    }
    await rest(LOOK_MS, clock);
  }
}
