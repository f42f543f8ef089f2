import { WAIVE_ANNOTATION } from "../../shared/contract/waive-annotation.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import { toCrd } from "../platform/crds/crd.ts";
import { loadFunctions } from "../worker/load.ts";
import { type Manifest, managerDeployment, yamlOf } from "./deployment.ts";
import { admissionPolicy } from "./manifests/base.ts";
import { CORE, type Provider } from "./providers.ts";
import {
  AGGREGATED,
  aggregatingRole,
  clusterRole,
  clusterRoleBinding,
  LEASE_RULES,
  roleOf,
  serviceAccount,
} from "./rbac.ts";
import { rightsForCore, rightsOf } from "./rights.ts";

/** Returns the components of a provider, as one YAML file. `image` has its tag, maybe its digest. */
export async function componentsOf(provider: Provider, image: string): Promise<string> {
  return yamlOf(await objectsOf(provider, image));
}

/** Returns the objects of a provider; their texts hold variables of clusterctl. */
export async function objectsOf(provider: Provider, image: string): Promise<readonly Manifest[]> {
  const { namespace, beside } = provider;
  const functions = await loadFunctions([provider.label]);
  const objects: readonly Manifest[] = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    ...crdsOf(provider),
    ...managerAccount(provider, functions),
    ...(beside?.account ?? []),
    managerDeployment(provider, image),
    ...(beside === undefined ? [] : [beside.deployment(image)]),
    ...(provider === CORE ? policy(namespace) : []),
  ];
  return objects.map((object) => labelled(object, provider));
}

/** Returns the checks of manifests; the API server drops the namespace that clusterctl gives them. */
function policy(namespace: string): readonly Manifest[] {
  const annotations = { [WAIVE_ANNOTATION]: "CTL-17=the name of the policy begins with the namespace" };
  return admissionPolicy(namespace).map((object) => {
    return { ...object, metadata: { ...object.metadata, annotations } };
  });
}

/** Returns the definitions of the kinds of a provider. */
export function crdsOf({ kinds }: Provider): readonly Manifest[] {
  return kinds.flatMap((kind) => {
    const crd = toCrd(kind);
    return crd === undefined ? [] : [{ ...crd }];
  });
}

function labelled(object: Manifest, { label }: Provider): Manifest {
  const { labels, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: { ...metadata, labels: { ...labels, "cluster.x-k8s.io/provider": label } },
  };
}

/**
 * Returns what the manager of a provider may do: by its functions, and its Lease. Names of cluster-scoped objects start
 * with the namespace, without which clusterctl leaves them behind.
 */
function managerAccount(provider: Provider, functions: readonly AnyFunction[]): readonly Manifest[] {
  const { app, namespace } = provider;
  const isCore = provider === CORE;
  const rules = rightsOf(functions, provider.placeOf);
  const aggregated = `${namespace}-aggregated`;
  return [
    serviceAccount(app, namespace),
    clusterRole(`${namespace}-manager`, rules),
    clusterRoleBinding(`${namespace}-manager`, app, namespace),
    ...(isCore
      ? [aggregatingRole(aggregated, AGGREGATED), clusterRoleBinding(aggregated, app, namespace)]
      : [clusterRole(`${namespace}-for-core`, rightsForCore(provider.forCore), AGGREGATED)]),
    ...roleOf(app, namespace, LEASE_RULES),
  ];
}
