import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { type Kind, type KubeObject, objectKeyOf } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { type DeletionFacts, otherClusterNames, type ProviderToDelete, sharesProvider } from "./deletion.ts";
import { DESCENDANTS, type DescendantKind, type Descendants } from "./descendants.ts";
import { type ClusterProviders, type ProviderRole, referenceOf } from "./providers.ts";

/** Reads both provider objects of a Cluster, from snapshots. */
export async function readProviders(
  read: Pick<Reader, "referenced">,
  cluster: Cluster,
): Promise<ClusterProviders> {
  const [infrastructure, controlPlane] = await Promise.all([
    readProvider(read, cluster, "infrastructure"),
    readProvider(read, cluster, "controlPlane"),
  ]);
  return { infrastructure, controlPlane };
}

async function readProvider(read: Pick<Reader, "referenced">, cluster: Cluster, role: ProviderRole) {
  const reference = referenceOf(cluster, role);
  return reference === undefined ? undefined : read.referenced(reference, namespaceOf(cluster));
}

/**
 * A provider object before it is deleted, and the other Cluster that it must be left to, if any. Snapshots for a
 * message, `read.live` for the deed.
 */
export async function readProviderToDelete(
  read: Pick<Reader, "get" | "referenced">,
  cluster: Cluster,
  role: ProviderRole,
): Promise<ProviderToDelete> {
  const provider = await readProvider(read, cluster, role);
  for (const name of otherClusterNames(cluster, provider)) {
    const other = await read.get(Cluster, { namespace: namespaceOf(cluster), name });
    if (other !== undefined && sharesProvider(cluster, other, role)) return { provider, sharedWith: other };
  }
  return { provider, sharedWith: undefined };
}

/** Reads both provider objects before their deletion, from snapshots, for a message: `cluster-delete` reads live. */
export async function readProvidersToDelete(
  read: Pick<Reader, "get" | "referenced">,
  cluster: Cluster,
): Promise<Pick<DeletionFacts, ProviderRole>> {
  const [controlPlane, infrastructure] = await Promise.all([
    readProviderToDelete(read, cluster, "controlPlane"),
    readProviderToDelete(read, cluster, "infrastructure"),
  ]);
  return { controlPlane, infrastructure };
}

/**
 * The descendants that snapshots show: by the immutable field of their kind, else by label. Of Machines there may be
 * thousands: all of them only matter to a deletion.
 */
export async function readDescendants(
  read: Pick<Reader, "list">,
  cluster: Cluster,
): Promise<readonly Descendants[]> {
  const kinds = DESCENDANTS.filter(({ counted }) => counted !== undefined || isDeleting(cluster));
  return Promise.all(kinds.map(async (of) => ({ of, objects: await snapshotsOf(read, cluster, of.kind) })));
}

/** Machines of the Cluster that belong to no pool. */
export function readMachines(read: Pick<Reader, "list">, cluster: Cluster): Promise<readonly Machine[]> {
  const { name } = cluster.metadata;
  const values = [`${namespaceOf(cluster)}/${name}|${name}`];
  return read.list(Machine, { index: { name: "withoutPool", values } });
}

function snapshotsOf<T extends KubeObject>(
  read: Pick<Reader, "list">,
  cluster: Cluster,
  kind: Kind<T>,
): Promise<readonly T[]> {
  const values = [`${namespaceOf(cluster)}/${cluster.metadata.name}`];
  return read.list(kind, { index: { name: "cluster", values } });
}

/** Reads all descendants by label, from the API server: a snapshot that shows nothing proves nothing. */
export async function readDescendantsLive(read: Reader, cluster: Cluster): Promise<readonly Descendants[]> {
  const labelSelector = `${CLUSTER_NAME_LABEL}=${cluster.metadata.name}`;
  return Promise.all(
    DESCENDANTS.map(async (of) => {
      const labelled = await read.live.list(of.kind, { namespace: namespaceOf(cluster), labelSelector });
      return { of, objects: [...labelled, ...(await unlabelled(read, cluster, of))] };
    }),
  );
}

/** Returns those that name the Cluster in their spec and have no label yet (young or paused), as no list has them. */
async function unlabelled(
  read: Reader,
  cluster: Cluster,
  of: DescendantKind,
): Promise<Descendants["objects"]> {
  const known = await snapshotsOf(read, cluster, of.kind);
  const hidden = known.filter(
    ({ metadata }) => metadata.labels?.[CLUSTER_NAME_LABEL] !== cluster.metadata.name,
  );
  const live = await Promise.all(hidden.map((object) => read.live.get(of.kind, objectKeyOf(object))));
  return live.filter(
    (object) =>
      object !== undefined && object.metadata.labels?.[CLUSTER_NAME_LABEL] !== cluster.metadata.name,
  ) as Descendants["objects"];
}

function namespaceOf({ metadata }: Cluster): string {
  return metadata.namespace ?? "";
}
