import { CustomResourceDefinition, Namespace } from "../../../../shared/api/core.ts";
import { groupOf, type Kind, type KubeObject } from "../../../../shared/api/kinds.ts";
import type { InstalledProvider } from "../../../../shared/contract/rules/move/subject.ts";
import { type CrdFacts, crdFacts, listReduced, type Side } from "./discovery-types.ts";

/** Everything about one management cluster that does not depend on the namespace which moves. */
export interface ManagementSide extends Side {
  /** The uid of Namespace kube-system: the identity of a cluster. */
  readonly uid: string | undefined;
  readonly crds: readonly CrdFacts[];
  readonly providers: readonly InstalledProvider[];
}

/** CRDs are large; a page of them stays below some MiB. */
const CRDS_PER_PAGE = 50;
export const INVENTORY_GROUP = "clusterctl.cluster.x-k8s.io";
const PROVIDERS: Kind = {
  group: INVENTORY_GROUP,
  version: "v1alpha3",
  kind: "Provider",
  plural: "providers",
  namespaced: true,
};

export async function readManagementSide(side: Side): Promise<ManagementSide> {
  const [system, crds, providers] = await Promise.all([
    side.client.get(Namespace, { namespace: "", name: "kube-system" }),
    listReduced(
      side,
      { kind: CustomResourceDefinition as unknown as Kind, pageItems: CRDS_PER_PAGE },
      crdFacts,
    ),
    listReduced(side, { kind: PROVIDERS }, providerOf),
  ]);
  return { ...side, uid: system?.metadata.uid, crds, providers };
}

function providerOf(object: KubeObject): InstalledProvider {
  const { name, namespace = "" } = object.metadata;
  const text = (member: string): string => {
    const value: unknown = Reflect.get(object, member);
    return typeof value === "string" ? value : "";
  };
  return {
    title: `Provider ${namespace}/${name}`,
    namespace,
    name,
    providerName: text("providerName"),
    type: text("type"),
    version: text("version"),
  };
}

/** Kinds of one name and group are found in the CRDs of a side. */
export function crdOf(
  { crds }: Pick<ManagementSide, "crds">,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): CrdFacts | undefined {
  const group = groupOf(apiVersion);
  return crds.find((crd) => crd.group === group && crd.kind === kind);
}

/** Throws where clusterctl v1.14 refuses to begin. */
export function requireSource(side: ManagementSide): void {
  const crd = crdOf(side, { apiVersion: CLUSTERS, kind: "Cluster" });
  if (crd === undefined) {
    throw new Error(
      `the ${side.name} has no CustomResourceDefinition clusters.cluster.x-k8s.io, so it is not a management cluster; name another one with --kubeconfig`,
    );
  }
  if (crd.storage !== STORAGE_VERSION) {
    throw new Error(
      `the ${side.name} stores Clusters as ${crd.storage ?? "nothing"}, and clusterctl v1.14 moves ${STORAGE_VERSION} only; upgrade its Cluster API first`,
    );
  }
}

const CLUSTERS = "cluster.x-k8s.io/v1beta2";
const STORAGE_VERSION = "v1beta2";

/** Throws for one cluster under two names. */
export function requireDifferent(source: ManagementSide, target: ManagementSide): void {
  if (source.uid === undefined || source.uid !== target.uid) return;
  throw new Error(
    `source and target are the same cluster: Namespace kube-system has uid ${source.uid} on both; name another target with --to-kubeconfig`,
  );
}
