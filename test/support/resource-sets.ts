import { RESOURCE_SET_FINALIZER } from "../../functions/clusterresourceset/rules/guard.ts";
import {
  ClusterResourceSet,
  ClusterResourceSetBinding,
  RESOURCE_SECRET_TYPE,
} from "../../shared/api/clusterresourceset.ts";
import { ConfigMap, type Secret } from "../../shared/api/core.ts";
import { apiVersionOf, type OwnerReference } from "../../shared/api/kinds.ts";
import { cluster, merge, type Overrides } from "./builders.ts";

/** Set `s1` of ConfigMap `cni`, guarded, for Clusters with the label `cni: "yes"`. */
export function resourceSet(overrides: Overrides<ClusterResourceSet> = {}): ClusterResourceSet {
  const set: ClusterResourceSet = {
    apiVersion: apiVersionOf(ClusterResourceSet),
    kind: ClusterResourceSet.kind,
    metadata: {
      name: "s1",
      namespace: "default",
      uid: "uid-s1",
      resourceVersion: "80",
      generation: 1,
      finalizers: [RESOURCE_SET_FINALIZER],
    },
    spec: {
      clusterSelector: { matchLabels: { cni: "yes" } },
      resources: [{ kind: "ConfigMap", name: "cni" }],
      strategy: "ApplyOnce",
    },
  };
  return merge<ClusterResourceSet>(set, overrides);
}

export const OWNED_BY_S1: OwnerReference = {
  apiVersion: apiVersionOf(ClusterResourceSet),
  kind: "ClusterResourceSet",
  name: "s1",
  uid: "uid-s1",
};

/** Cluster `c1` that the set selects. */
export function selectedCluster(name = "c1") {
  return cluster({ metadata: { name, uid: `uid-${name}`, labels: { cni: "yes" } } });
}

/** ConfigMap `cni` with the manifest of a Namespace. */
export function manifestMap(data: ConfigMap["data"] = { a: NAMESPACE }, name = "cni"): ConfigMap {
  const metadata = { name, namespace: "default", uid: `uid-${name}`, resourceVersion: "90" };
  return { apiVersion: "v1", kind: ConfigMap.kind, metadata, data };
}

export const NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: addons\n";
/** The hash of `manifestMap`. */
export const NAMESPACE_HASH = "sha256:efab1324805069c9805f0abb16f70a33a15805a9bc98492e725d0934fa51c431";

/** Secret `late` of a type. */
export function manifestSecret(value: string, type: string = RESOURCE_SECRET_TYPE): Secret {
  const metadata = { name: "late", namespace: "default", uid: "uid-late", resourceVersion: "91" };
  return { apiVersion: "v1", kind: "Secret", metadata, type, data: { a: btoa(value) } };
}

/** The binding of Cluster `c1` with an entry of `s1`. */
export function resourceBinding(
  resources: NonNullable<NonNullable<ClusterResourceSetBinding["spec"]>["bindings"]>[number]["resources"],
  overrides: Overrides<ClusterResourceSetBinding> = {},
): ClusterResourceSetBinding {
  const binding: ClusterResourceSetBinding = {
    apiVersion: apiVersionOf(ClusterResourceSetBinding),
    kind: ClusterResourceSetBinding.kind,
    metadata: {
      name: "c1",
      namespace: "default",
      uid: "uid-b1",
      resourceVersion: "85",
      ownerReferences: [OWNED_BY_S1],
    },
    spec: { clusterName: "c1", bindings: [{ clusterResourceSetName: "s1", resources }] },
  };
  return merge<ClusterResourceSetBinding>(binding, overrides);
}
