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

export interface ContractClaim {
  readonly contract: ContractVersion;
  /** The version of the CRD that core reads under this contract. */
  readonly version: string;
}

/**
 * Returns the contract that a CRD claims by label (`cluster.x-k8s.io/v1beta2: v1beta1_v1beta2`) and the version to read
 * its objects in. `undefined` when no supported label is there or it is empty. Source: PC-2.2.
 */
export function contractOf(crd: Pick<CustomResourceDefinition, "metadata">): ContractClaim | undefined {
  const known = newest.get(crd) ?? claimsOf(crd)[0] ?? "none";
  newest.set(crd, known);
  return known === "none" ? undefined : known;
}

/** Every read of a provider object asks, and a snapshot never changes. */
const newest = new WeakMap<object, ContractClaim | "none">();

/**
 * Returns every supported contract that a CRD claims, newest first, with the highest version that its label names.
 * Whether that version is served is not checked, as in Cluster API. Source: PC-2.2.
 */
export function claimsOf(crd: Pick<CustomResourceDefinition, "metadata">): readonly ContractClaim[] {
  return SUPPORTED.flatMap((contract) => {
    const [version] = claimedVersions(crd.metadata.labels?.[contractLabel(contract)] ?? "");
    return version === undefined ? [] : [{ contract, version }];
  });
}

/** The label by which a CRD claims a contract. */
export function contractLabel(contract: ContractVersion): string {
  return `${CONTRACT_LABEL_PREFIX}${contract}`;
}

/** Returns the versions in the value of a contract label, by priority. */
export function claimedVersions(value: string): readonly string[] {
  return value
    .split("_")
    .filter((name) => name !== "")
    .toSorted(compareApiVersions);
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
