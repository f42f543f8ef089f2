import type { CustomResourceDefinition } from "../api/core.ts";
import type { ContractVersion } from "../api/kinds.ts";

const CONTRACT_LABEL_PREFIX = "cluster.x-k8s.io/";
/** Newest first. */
const SUPPORTED: readonly ContractVersion[] = ["v1beta2", "v1beta1"];
/** Fields of a CRD that decide about the contract of its objects: watched by functions that reference them. */
export const CONTRACT_FIELDS = [
  "metadata.uid",
  "metadata.labels[cluster.x-k8s.io/v1beta2]",
  "metadata.labels[cluster.x-k8s.io/v1beta1]",
] as const;
const VERSION = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;
const STABILITY = { alpha: 0, beta: 1, stable: 2 } as const;

/**
 * Returns the contract that a CRD claims by label (`cluster.x-k8s.io/v1beta2: v1beta1_v1beta2`) and the version to read
 * its objects in: the highest that the label of the newest supported contract names. Whether that version is served is
 * not checked, as in Cluster API. `undefined` when no supported label is there or it is empty.
 * Source: PC-2.2.
 */
export function contractOf(
  crd: Pick<CustomResourceDefinition, "metadata">,
): { readonly contract: ContractVersion; readonly version: string } | undefined {
  for (const contract of SUPPORTED) {
    const [version] = (crd.metadata.labels?.[`${CONTRACT_LABEL_PREFIX}${contract}`] ?? "")
      .split("_")
      .filter((name) => name !== "")
      .toSorted(compareApiVersions);
    if (version !== undefined) return { contract, version };
  }
  return undefined;
}

/**
 * Compares by Kubernetes version priority, highest first: stable before beta before alpha, higher numbers first, then
 * other names (`foo1`) in alphabetical order. Source: PC-2.3.
 */
export function compareApiVersions(a: string, b: string): number {
  const left = rankOf(a);
  const right = rankOf(b);
  if (left === undefined && right === undefined) return a < b ? -1 : Number(a > b);
  if (left === undefined) return 1;
  if (right === undefined) return -1;
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

function rankOf(version: string) {
  const match = VERSION.exec(version);
  if (match === null) return undefined;
  const stability = match[2] === "alpha" || match[2] === "beta" ? match[2] : "stable";
  return { stability: STABILITY[stability], major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
