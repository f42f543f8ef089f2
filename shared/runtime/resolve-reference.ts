import { CustomResourceDefinition } from "../api/core.ts";
import { type ContractReference, type ContractVersion, type Kind, MANAGEMENT } from "../api/kinds.ts";
import { contractOf } from "../contract/version.ts";
import type { KubeClient, Referenced, Selection, Store } from "./ports.ts";

/** The kind a reference means, or why it cannot be told. */
export type Resolved =
  | { readonly state: "resolved"; readonly contract: ContractVersion; readonly kind: Kind }
  | Unresolved;
export type Unresolved = Extract<Referenced, { state: "unresolved" }>;

/**
 * Kind and version of a provider object, from its CRD's contract labels; the object's own apiVersion plays no part.
 * Source: provider-contracts.md 2.2.
 */
export async function resolveReference(
  store: Pick<Store, "list">,
  reference: ContractReference,
): Promise<Resolved> {
  const { group, kind } = CustomResourceDefinition;
  const named = await store.list({ cluster: MANAGEMENT, group, kind }, definitionsOf(reference));
  return resolveAmong(named as readonly CustomResourceDefinition[], reference);
}

/** Which CustomResourceDefinitions decide about a kind. */
export function definitionsOf({ kind }: Pick<ContractReference, "kind">): Selection {
  return { index: { name: "definedKind", values: [kind] } };
}

/** The same for a step that has read these definitions. */
export function resolveAmong(
  definitions: readonly CustomResourceDefinition[],
  reference: Pick<ContractReference, "apiGroup" | "kind">,
): Resolved {
  const crd = definitions.find(({ spec }) => spec.group === reference.apiGroup);
  if (crd === undefined) {
    const [other] = definitions;
    const correct = other === undefined ? "correct kind" : `write apiGroup ${other.spec.group}`;
    return unresolved(
      reference,
      false,
      `does not exist; install the provider, or ${correct} in the reference`,
    );
  }
  const contract = contractOf(crd);
  if (contract === undefined) {
    const missing = "has no label cluster.x-k8s.io/v1beta2 or cluster.x-k8s.io/v1beta1";
    return unresolved(reference, true, `(${crd.metadata.name}) ${missing}; ${labelCommand(crd)}`);
  }
  const { names, scope } = crd.spec;
  return {
    state: "resolved",
    contract: contract.contract,
    kind: {
      group: reference.apiGroup,
      version: contract.version,
      kind: names.kind,
      plural: names.plural,
      namespaced: scope !== "Cluster",
    },
  };
}

/** Which contract the provider follows, its CRD does not say; every version that is served may be of it. */
function labelCommand({ metadata: { name }, spec }: CustomResourceDefinition): string {
  const served = spec.versions.filter((version) => version.served).map((version) => version.name);
  const label = `cluster.x-k8s.io/v1beta2=${served.join("_")}`;
  return `if its provider follows contract v1beta2: kubectl label crd ${name} ${label}`;
}

export function unresolved(
  reference: Pick<ContractReference, "apiGroup" | "kind">,
  crdExists: boolean,
  text: string,
): Unresolved {
  const message = `CustomResourceDefinition of ${reference.apiGroup}/${reference.kind} ${text}`;
  return { state: "unresolved", crdExists, message };
}

/** Reads CRDs live: a definition that is gone takes all its objects with it. */
export async function crdExistsLive(client: KubeClient, reference: ContractReference): Promise<boolean> {
  const { items } = await client.list(CustomResourceDefinition, {});
  return items.some(({ spec }) => spec.group === reference.apiGroup && spec.names.kind === reference.kind);
}
