import { crdNameOf } from "../../crd-name.ts";
import { claimedVersions, claimsOf, contractLabel } from "../../version.ts";
import { fail, type Judgement, type Level, na, pass, unknown, warn } from "../rule.ts";
import { aggregatedRights } from "./aggregated-rights.ts";
import { book, type Check, type CrdRule, crdRule, onSchema, versionPath } from "./crd-rule.ts";
import { judgeField } from "./fields.ts";
import { typeOf } from "./schema.ts";
import { NEEDS_RELEASE } from "./shapes.ts";
import type { Crd, CrdSubject } from "./subject.ts";

const CHOICE = "internal/contract/version.go";
const OVERVIEW = book("overview");

/** Excuses a CRD from clusterctl's check of its name. */
const SKIP_NAME = "clusterctl.cluster.x-k8s.io/skip-crd-name-preflight-check";
const CONTRACT_LABEL = /^cluster\.x-k8s\.io\/(v\d.*)$/;

/** Every label by which a CRD claims a contract, of whatever age. */
function contractLabels({
  metadata,
}: Crd): readonly { readonly path: string; readonly versions: readonly string[] }[] {
  return Object.entries(metadata.labels)
    .filter(([key]) => CONTRACT_LABEL.test(key))
    .map(([key, value]) => ({ path: `metadata.labels[${key}]`, versions: claimedVersions(value) }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const scope: Check = ({ crd }) => {
  const found = { path: "spec.scope", found: crd.scope, expected: "Namespaced" };
  return [crd.scope === "Namespaced" ? pass(found) : fail(found)];
};

const root: Check = onSchema(({ node, path }) => {
  if (typeOf(node) !== "object")
    return [fail({ path: `${path}.type`, found: typeOf(node), expected: "object" })];
  const said = [
    ...judgeField(node, path, { field: "apiVersion", type: "string", absent: "na" }),
    ...judgeField(node, path, { field: "kind", type: "string", absent: "na" }),
    ...judgeField(node, path, { field: "metadata", type: "object", absent: "na" }),
  ].filter(({ verdict }) => verdict === "fail");
  return said.length === 0 ? [pass()] : said;
});

const label: Check = ({ crd }) => {
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

/** `stale`: verdict for a version that the CRD lacks. */
function labelledVersions(stale: typeof fail): Check {
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

const pickedIsServed: Check = ({ crd, isAssumed, picked: { name, version } }) => {
  if (isAssumed) return [na("the CRD has no contract label")];
  const expected = "a served version";
  if (version === undefined) {
    const names = crd.versions.map((one) => one.name);
    return [fail({ path: "spec.versions", found: `${name} missing among ${names.join(", ")}`, expected })];
  }
  const path = `${versionPath(name)}.served`;
  return [version.served ? pass({ path, found: "true" }) : fail({ path, found: "false", expected })];
};

const allServed: Check = ({ crd, isEffective, picked }) => {
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

const oneContractPerVersion: Check = ({ crd }) => {
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

const name: Check = ({ crd, contractKind }) => {
  const { metadata, group, names } = crd;
  const expected = crdNameOf(group, names.kind);
  const isSkipped = Object.hasOwn(metadata.annotations, SKIP_NAME) && contractKind === undefined;
  if (metadata.name !== expected) {
    return [(isSkipped ? warn : fail)({ path: "metadata.name", found: metadata.name, expected })];
  }
  const served = `${names.plural}.${group}`;
  if (served === metadata.name) return [pass({ path: "metadata.name", found: metadata.name, expected })];
  const effect = "the API server refuses the CRD: its name must be spec.names.plural and spec.group";
  return [fail({ path: "spec.names.plural", found: served, expected, effect })];
};

const listKind: Check = ({ crd: { names } }) => {
  const expected = `${names.kind}List`;
  const found = { path: "spec.names.listKind", found: names.listKind ?? `${expected}, by default`, expected };
  return [names.listKind === undefined || names.listKind === expected ? pass(found) : fail(found)];
};

const series: Check = ({ release, isAssumed, contract }: CrdSubject) => {
  if (isAssumed) return [na("the CRD has no contract label")];
  if (release === undefined) return [unknown(NEEDS_RELEASE)];
  const { seriesContract } = release;
  if (seriesContract === undefined) return [na("metadata.yaml has no series for this version")];
  const found = {
    path: "metadata.labels",
    found: contract,
    expected: `${seriesContract}, as metadata.yaml says`,
  };
  return [seriesContract === contract ? pass(found) : fail(found)];
};

const statusSubresource: Check = ({ isTemplate, picked }) => {
  if (isTemplate) return [na("the kind is a template")];
  if (picked.version === undefined) return [na(`the CRD has no version ${picked.name}`)];
  const path = `${versionPath(picked.name)}.subresources.status`;
  const { status } = picked.version.subresources;
  return [status ? pass({ path }) : fail({ path, found: "absent", expected: "{}" })];
};

type Row = Omit<CrdRule, "id" | "on" | "contracts" | "artefact"> & Partial<CrdRule>;

/** By the number behind the prefix. */
const ROWS: { readonly [number: string]: Row } = {
  "01": {
    level: "MUST",
    sentence: "`spec.scope` is `Namespaced`",
    effect: "core reads references in the namespace of the referring object only, and never finds the object",
    source: OVERVIEW,
    check: scope,
  },
  "02": {
    level: "MUST",
    sentence:
      "The root of the schema is an object; where it declares `apiVersion`, `kind` and `metadata`, they are texts and an object",
    effect: "core cannot read owner references, labels, annotations and deletion timestamps",
    source: OVERVIEW,
    check: root,
  },
  "03": {
    level: "MUST",
    artefact: "A1+A2",
    sentence:
      'The group is one that core has rights for, or the release has a ClusterRole with the label `cluster.x-k8s.io/aggregate-to-manager: "true"` that grants them',
    effect: "the API server forbids core every read of the object",
    source: "core/config/rbac/aggregated_role.yaml",
    check: aggregatedRights,
  },
  "04": {
    level: "MUST",
    sentence:
      "The CRD claims a contract by a label `cluster.x-k8s.io/v1beta2` or `cluster.x-k8s.io/v1beta1` that is not empty",
    effect:
      "each reconcile ends with the error that the contract version label is missing or empty for the CRD",
    source: CHOICE,
    check: label,
  },
  "05": {
    level: "MUST",
    sentence: "Each version in a contract label, also in those of former contracts, is in `spec.versions`",
    effect:
      "harmless until the missing version is the highest of its label: core then reads a version that does not exist",
    source: CHOICE,
    check: labelledVersions(fail),
  },
  "06": {
    level: "MUST",
    sentence: "The version that core picks by label exists and is served",
    effect: "core asks the API server for a version that it does not serve, and each read fails",
    source: CHOICE,
    check: pickedIsServed,
  },
  "07": {
    level: "SHOULD",
    sentence: "Each version in the label of a supported contract is served",
    effect: "the topology and `clusterctl describe` still map the version that is not served to its contract",
    source: CHOICE,
    check: allServed,
  },
  "08": {
    level: "SHOULD",
    sentence: "No version is in two contract labels",
    effect: "the topology and `clusterctl describe` find now one contract for the version, now the other",
    source: CHOICE,
    check: oneContractPerVersion,
  },
  "09": {
    level: "MUST",
    sentence: "`metadata.name` is the English plural of the kind in lower case, a dot and the group",
    effect:
      "core computes this name to find the CRD and cannot resolve the reference; clusterctl refuses to install the release",
    source: "util/contract/contract.go",
    check: name,
  },
  "10": {
    level: "MUST",
    sentence: "`spec.names.listKind` is the kind followed by `List`, or absent",
    effect: "core lists and watches by that name and gets no objects",
    source: OVERVIEW,
    check: listKind,
  },
  "11": {
    level: "MUST",
    artefact: "A1+A2",
    sentence: "The newest claimed contract is the one that `metadata.yaml` has for the series of the release",
    effect: "clusterctl decides by `metadata.yaml`, core by labels: what installs does not work together",
    source: "cmd/clusterctl/client/cluster/installer.go",
    check: series,
  },
  "12": {
    level: "MUST",
    sentence: "The version that core picks has the status subresource",
    effect:
      "writes of core and of the provider overwrite each other, and each status write raises the generation",
    source: OVERVIEW,
    check: statusSubresource,
  },
};

/** Verdicts that depend on the kind of contract. */
const LENIENT: Partial<Row> & { readonly level: Level } = { level: "SHOULD", check: labelledVersions(warn) };

/** Rules 01 to 12 of a contract. */
export function commonRules(prefix: string): readonly CrdRule[] {
  return pickRows(prefix, Object.keys(ROWS), {});
}

/** Rules of pools of addresses, which core never reads by label. */
export function poolRules(): readonly CrdRule[] {
  return pickRows("IP", ["02", "05", "07", "08", "09"], { "05": LENIENT });
}

/** Rules of kinds of no contract: of their labels, where they have one, and of their names. */
export const UNCONTRACTED_RULES = pickRows("CRD", ["05", "07", "08", "09"], { "05": LENIENT });

function pickRows(
  prefix: string,
  numbers: readonly string[],
  changes: { readonly [number: string]: Partial<Row> },
): readonly CrdRule[] {
  return numbers.toSorted().flatMap((number) => {
    const row = ROWS[number];
    if (row === undefined) return [];
    return [crdRule({ ...row, ...changes[number], id: `${prefix}-${number}`, on: "both" })];
  });
}
