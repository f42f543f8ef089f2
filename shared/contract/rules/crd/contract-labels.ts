import { claimedVersions, claimsOf, contractLabel } from "../../version.ts";
import { fail, type Judgement, na, pass, warn } from "../rule.ts";
import { type Check, versionPath } from "./crd-rule.ts";
import type { Crd } from "./subject.ts";

const CONTRACT_LABEL = /^cluster\.x-k8s\.io\/(v\d.*)$/;
/** Cluster API has had five contracts. */
const MAX_LABELS = 20;

/** The labels by which a CRD claims contracts, of whatever age. */
function contractLabels({
  metadata,
}: Crd): readonly { readonly path: string; readonly versions: readonly string[] }[] {
  return Object.entries(metadata.labels)
    .filter(([key]) => CONTRACT_LABEL.test(key))
    .map(([key, value]) => ({ path: `metadata.labels[${key}]`, versions: claimedVersions(value) }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, MAX_LABELS);
}

export const label: Check = ({ crd }) => {
  const [claim] = claimsOf(crd);
  if (claim !== undefined) {
    const path = `metadata.labels[${contractLabel(claim.contract)}]`;
    return [pass({ path, found: claim.version })];
  }
  const path = `metadata.labels[${contractLabel("v1beta2")}]`;
  return [
    fail({
      path,
      found: "no contract label",
      expected: "cluster.x-k8s.io/v1beta2 or cluster.x-k8s.io/v1beta1",
    }),
  ];
};

/** `stale` is the verdict for a version that the CRD lacks. */
export function labelledVersions(stale: typeof fail): Check {
  return ({ crd }) => {
    const labels = contractLabels(crd);
    if (labels.length === 0) return [na("the CRD has no contract label")];
    const names = crd.versions.map(({ name }) => name);
    const expected = `one of ${names.join(", ")}`;
    const said = labels.flatMap(({ path, versions }) =>
      versions.filter((version) => !names.includes(version)).map((found) => stale({ path, found, expected })),
    );
    return said.length === 0 ? [pass()] : said;
  };
}

export const pickedIsServed: Check = ({ crd, isAssumed, picked: { name, version } }) => {
  if (isAssumed) return [na("the CRD has no contract label")];
  const expected = "a served version";
  if (version === undefined) {
    const names = crd.versions.map((one) => one.name);
    return [fail({ path: "spec.versions", found: `${name} missing among ${names.join(", ")}`, expected })];
  }
  const path = `${versionPath(name)}.served`;
  return [version.served ? pass({ path, found: "true" }) : fail({ path, found: "false", expected })];
};

export const allServed: Check = ({ crd, isEffective, picked }) => {
  const claims = claimsOf(crd);
  if (claims.length === 0) return [na("the CRD has no contract label")];
  const said = claims.flatMap(({ contract }) => {
    const path = `metadata.labels[${contractLabel(contract)}]`;
    return claimedVersions(crd.metadata.labels[contractLabel(contract)] ?? "").flatMap((name) => {
      const version = crd.versions.find((one) => one.name === name);
      // The version that core reads is judged by the rule before.
      const isPicked = isEffective && name === picked.name;
      if (version === undefined || version.served || isPicked) return [];
      return [warn({ path, found: `${name} is not served`, expected: "served versions only" })];
    });
  });
  return said.length === 0 ? [pass()] : said;
};

export const oneContractPerVersion: Check = ({ crd }) => {
  const labels = contractLabels(crd);
  if (labels.length === 0) return [na("the CRD has no contract label")];
  const twice = [...new Set(labels.flatMap(({ versions }) => versions))].flatMap((version): Judgement[] => {
    const [first, second, ...more] = labels.filter(({ versions }) => versions.includes(version));
    if (first === undefined || second === undefined) return [];
    const found = `${version} is also in ${[first, ...more].map(({ path }) => path).join(", ")}`;
    return [warn({ path: second.path, found, expected: "each version in one label" })];
  });
  return twice.length === 0 ? [pass()] : twice;
};
