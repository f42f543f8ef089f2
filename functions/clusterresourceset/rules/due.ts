import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import {
  type ClusterResourceSet,
  RESOURCE_SECRET_TYPE,
  type ResourceBinding,
} from "../../../shared/api/clusterresourceset.ts";
import { ConfigMap, Secret } from "../../../shared/api/core.ts";
import { type Kind, MANAGEMENT, objectKeyOf, workloadCluster } from "../../../shared/api/kinds.ts";
import type { Reader } from "../../../shared/function/define-function.ts";
import type { Delivery } from "../../../shared/function/manifests.ts";
import { entryOf } from "./binding.ts";
import type { NotApplied } from "./not-applied.ts";

type Resource = ClusterResourceSet["spec"]["resources"][number];

/** The kinds of resources. */
export const RESOURCE_KINDS: { readonly [kind in Resource["kind"]]: Kind } = {
  Secret: Secret as unknown as Kind,
  ConfigMap: ConfigMap as unknown as Kind,
};

const VERBS = { ApplyOnce: "create", Reconcile: "apply" } as const;

/** The open work for one set and one Cluster. */
export interface Due {
  readonly set: ClusterResourceSet;
  /** The entries of its resources so far. */
  readonly entries: readonly ResourceBinding[];
  readonly deliveries: readonly { readonly resource: Resource; readonly delivery: Delivery }[];
  /** Resources that cannot be delivered, with the reason. */
  readonly problems: Pick<NotApplied, "reason" | "problems">;
}

/**
 * Returns what a set still has to bring into a Cluster. Resources of ApplyOnce that are applied are not even read. A
 * resource that is missing is left out; one that cannot be used holds up the others of its set.
 */
export async function readDue(
  read: Reader,
  cluster: Cluster,
  { set, entries }: Pick<Due, "set" | "entries">,
): Promise<Due> {
  const deliveries: Due["deliveries"][number][] = [];
  const missing: string[] = [];
  const unusable = (reason: NotApplied["reason"], problem: string): Due => ({
    ...{ set, entries, deliveries: [] },
    problems: { reason, problems: [problem] },
  });
  const { strategy = "ApplyOnce" } = set.spec;
  const verb = VERBS[strategy];
  // One after the other: each answer holds all values until they are hashed.
  for (const resource of set.spec.resources) {
    const entry = entryOf(entries, resource);
    if (entry?.applied === true && verb === "create") continue;
    const { name } = resource;
    const kind = RESOURCE_KINDS[resource.kind];
    const key = { namespace: objectKeyOf(set).namespace, name };
    const found = await read.live.manifests(kind, key);
    if (found === undefined) {
      missing.push(`${resource.kind} ${name} not found`);
      continue;
    }
    if (resource.kind === "Secret" && found.type !== RESOURCE_SECRET_TYPE)
      return unusable("WrongSecretType", `Secret type of resource ${name} is not supported`);
    const { hash, metadata } = found;
    if (hash === undefined) return unusable("NotApplied", `${resource.kind} ${name} has no data`);
    if (entry?.applied === true && entry.hash === hash) continue;
    const { uid, resourceVersion } = metadata;
    const source = { ...key, cluster: MANAGEMENT, kind, uid, resourceVersion };
    const target = { cluster: workloadCluster(objectKeyOf(cluster)), verb };
    deliveries.push({ resource, delivery: { ...target, source, hash } });
  }
  return { set, entries, deliveries, problems: { reason: "NotApplied", problems: missing } };
}

/** Whether only a look at its Secrets shows that they have changed: not every account may watch them. */
export function looksAtSecrets({ spec }: ClusterResourceSet): boolean {
  return spec.strategy === "Reconcile" && spec.resources.some(({ kind }) => kind === "Secret");
}
