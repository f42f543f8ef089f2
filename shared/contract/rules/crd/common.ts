import { crdNameOf } from "../../crd-name.ts";
import { fail, type Level, na, pass, unknown, warn } from "../rule.ts";
import {
  allServed,
  label,
  labelledVersions,
  oneContractPerVersion,
  pickedIsServed,
} from "./contract-labels.ts";
import { book, type Check, type CrdRule, crdRule, onSchema, versionPath } from "./crd-rule.ts";
import { judgeField } from "./fields.ts";
import { typeOf } from "./schema.ts";
import { NEEDS_RELEASE } from "./shapes.ts";
import type { AggregatedRights, CrdSubject } from "./subject.ts";

const CHOICE = "internal/contract/version.go";
const OVERVIEW = book("overview");

/** Excuses a CRD from clusterctl's check of its name. */
const SKIP_NAME = "clusterctl.cluster.x-k8s.io/skip-crd-name-preflight-check";

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

/** Core may do everything with the kinds of these groups. */
const OWN_GROUPS = ["infrastructure", "bootstrap", "controlplane"].map((name) => `${name}.cluster.x-k8s.io`);

const EVERY_VERB = ["create", "delete", "get", "list", "patch", "update", "watch"];

/** Templates that only the topology reads and core never clones by create and delete of their own. */
const TEMPLATE_VERBS = ["get", "list", "patch", "update", "watch"];

/** Core has rights for the group by itself, or by a ClusterRole of the release, or beside it, that is aggregated to its own. */
const aggregatedRights: Check = (subject) => {
  const { crd, release } = subject;
  const aggregated = release?.aggregated ?? subject.aggregated ?? [];
  const path = "spec.group";
  if (OWN_GROUPS.includes(crd.group)) return [pass({ path, found: crd.group })];
  const isNamed = aggregated.some(({ apiGroups }) => holds(apiGroups, crd.group));
  if (release === undefined && !isNamed) return [unknown(NEEDS_RELEASE, { path })];
  const missing = neededVerbs(subject).filter((verb) => !grants(aggregated, subject, verb));
  if (missing.length === 0) return [pass({ path, found: crd.group })];
  const expected = `a ClusterRole with the label cluster.x-k8s.io/aggregate-to-manager: "true" that grants ${missing.join(", ")} on ${crd.names.plural}`;
  return [fail({ path, found: crd.group, expected })];
};

function neededVerbs({ isTemplate, contractKind }: CrdSubject): readonly string[] {
  const isReadOnly = isTemplate && (contractKind === "ControlPlane" || contractKind === "InfraCluster");
  return isReadOnly ? TEMPLATE_VERBS : EVERY_VERB;
}

function grants(aggregated: AggregatedRights, { crd }: CrdSubject, verb: string): boolean {
  return aggregated.some(
    ({ apiGroups, resources, verbs }) =>
      holds(apiGroups, crd.group) && holds(resources, crd.names.plural) && holds(verbs, verb),
  );
}

function holds(list: readonly string[], name: string): boolean {
  return list.includes(name) || list.includes("*");
}

/** The rows by the number behind the prefix. */
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
