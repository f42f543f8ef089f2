import type { CustomResourceDefinition } from "../api/core.ts";
import type { Selection } from "../api/indexes.ts";
import type { ContractReference, ContractVersion, Kind, KubeObject } from "../api/kinds.ts";
import { contractOf } from "./version.ts";

/** Result of reading a referenced provider object (PC-2). */
export type Referenced<T extends KubeObject = KubeObject> =
  | {
      readonly state: "found";
      readonly object: T;
      /** The contract that the CRD claims: decides field paths. */
      readonly contract: ContractVersion;
      readonly kind: Kind;
    }
  /** The API server answered 404 for the object. */
  | { readonly state: "missing"; readonly contract: ContractVersion; readonly kind: Kind }
  /** No CRD of that kind, or one without a label for a supported contract; `message` names the CRD. */
  | { readonly state: "unresolved"; readonly crdExists: boolean; readonly message: string };
/** An object that was read. */
export type Found = Extract<Referenced, { state: "found" }>;
export type Unresolved = Extract<Referenced, { state: "unresolved" }>;

/** Returns the kind that a reference means, or why it cannot be determined. */
export type Resolved =
  | { readonly state: "resolved"; readonly contract: ContractVersion; readonly kind: Kind }
  | Unresolved;

/** Returns a selection of the CustomResourceDefinitions that decide about a kind. */
export function definitionsOf({ kind }: Pick<ContractReference, "kind">): Selection {
  return { index: { name: "definedKind", values: [kind] } };
}

/** The same for a step that has read these definitions. */
export function resolveAmong(
  definitions: readonly CustomResourceDefinition[],
  reference: Omit<ContractReference, "name">,
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
  const contract = reference.version === undefined ? contractOf(crd) : exactly(crd, reference.version);
  if (contract === "not served") {
    const served = servedVersions(crd).join(", ");
    return unresolved(
      reference,
      true,
      `(${crd.metadata.name}) serves ${served}, not ${reference.version}; write one of these in the reference`,
    );
  }
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

/** No field of an object that is referenced by version is found by its contract, so that of a CRD without labels may be any. */
function exactly(
  crd: CustomResourceDefinition,
  version: string,
): ReturnType<typeof contractOf> | "not served" {
  if (!servedVersions(crd).includes(version)) return "not served";
  return { contract: contractOf(crd)?.contract ?? "v1beta2", version };
}

function servedVersions({ spec }: CustomResourceDefinition): readonly string[] {
  return spec.versions.filter(({ served }) => served).map(({ name }) => name);
}

/** The CRD does not name the provider's contract; every served version may follow it. */
function labelCommand(crd: CustomResourceDefinition): string {
  const { name } = crd.metadata;
  const label = `cluster.x-k8s.io/v1beta2=${servedVersions(crd).join("_")}`;
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
