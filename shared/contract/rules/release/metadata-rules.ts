import { textAt } from "../../../api/path.ts";
import { contractOf } from "../../version.ts";
import { contractRoleOf } from "../crd/contract-kinds.ts";
import { fail, type Judgement, na, orPass, pass, warn } from "../rule.ts";
import {
  CLUSTERCTL_BOOK,
  labelsOf,
  nameOf,
  objectsAt,
  onComponents,
  placeOf,
  placeOfFile,
  type ReleaseRule,
  releaseRule,
} from "./release-rule.ts";
import { ownSeries, seriesFor, seriesOf } from "./series.ts";
import type { Manifest, ManifestDocument, Release, ReleaseFile } from "./subject.ts";
import { parseVersion } from "./version.ts";

const API_VERSION = "clusterctl.cluster.x-k8s.io/v1alpha3";
const CONTRACTS = ["v1beta1", "v1beta2"];
const METADATA_CLIENT = "cmd/clusterctl/client/repository/metadata_client.go";
const UPGRADER = "cmd/clusterctl/client/cluster/upgrader_info.go";
const INSTALLER = "cmd/clusterctl/client/cluster/installer.go";

/** Rules on `metadata.yaml`: which contract each series of releases has. */
export const METADATA_RULES: readonly ReleaseRule[] = [
  releaseRule({
    id: "CTL-05",
    level: "MUST",
    sentence: `metadata.yaml parses and its apiVersion is ${API_VERSION}`,
    effect: "clusterctl cannot decode the metadata and refuses the release",
    source: METADATA_CLIENT,
    check: ({ metadata }) => {
      if (metadata === undefined) return [na("the release has no metadata.yaml")];
      const { problem, documents } = metadata;
      if (problem !== undefined) {
        return [fail({ at: placeOfFile(metadata, problem.line), found: problem.message, expected: "YAML" })];
      }
      const at = placeOfFile(metadata, documents[0]?.line);
      const found = textAt(documents[0]?.value, "apiVersion");
      if (found === API_VERSION) return [pass({ at, path: "apiVersion", found })];
      return [fail({ at, path: "apiVersion", found, expected: API_VERSION })];
    },
  }),
  releaseRule({
    id: "CTL-06",
    level: "MUST",
    sentence: "The kind of metadata.yaml is Metadata",
    effect: "clusterctl refuses another kind",
    source: METADATA_CLIENT,
    check: onMetadata((value, file) => {
      const found = textAt(value, "kind");
      const details = { at: placeOfFile(file), path: "kind", found, expected: "Metadata" };
      if (found === "Metadata") return [pass(details)];
      return found === ""
        ? [warn({ ...details, effect: "clusterctl accepts an empty kind for now" })]
        : [fail(details)];
    }),
  }),
  releaseRule({
    id: "CTL-07",
    level: "MUST",
    sentence: "metadata.yaml has at least one release series, each with a major and a minor number",
    effect: "clusterctl refuses the release: releaseSeries is empty in metadata.yaml",
    source: METADATA_CLIENT,
    check: onMetadata((value, file, release) => {
      const details = { at: placeOfFile(file), path: "releaseSeries" };
      const entries = objectsAt(value, "releaseSeries").length;
      const expected = "entries with major, minor and contract";
      if (entries === 0) return [fail({ ...details, found: "no entry", expected })];
      const broken = entries - seriesOf(release).length;
      if (broken === 0) return [pass(details)];
      return [fail({ ...details, found: `${broken} of ${entries} entries without whole numbers`, expected })];
    }),
  }),
  releaseRule({
    id: "CTL-08",
    level: "MUST",
    sentence: "metadata.yaml has a series for this version",
    effect: "clusterctl refuses it: version does not match any release series",
    source: INSTALLER,
    check: onMetadata((_value, file, release) => {
      const at = placeOfFile(file);
      const version = parseVersion(release.version);
      if (version === undefined) return [na("the version is not a semantic one")];
      if (seriesOf(release).length === 0) return [na("metadata.yaml has no series")];
      if (ownSeries(release) !== undefined) return [pass({ at, path: "releaseSeries" })];
      const expected = `an entry with major ${version.major} and minor ${version.minor}`;
      return [fail({ at, path: "releaseSeries", found: namesOf(release), expected })];
    }),
  }),
  releaseRule({
    id: "CTL-09",
    level: "MUST",
    sentence: "The contract of this version's series is v1beta2 or v1beta1",
    effect: "clusterctl v1.14 is only compatible with providers of these contract versions",
    source: INSTALLER,
    check: onMetadata((_value, file, release) => {
      const series = ownSeries(release);
      if (series === undefined) return [na("metadata.yaml has no series for this version")];
      const details = { at: placeOfFile(file), path: "releaseSeries", found: series.contract };
      if (CONTRACTS.includes(series.contract)) return [pass(details)];
      return [fail({ ...details, expected: CONTRACTS.join(" or ") })];
    }),
  }),
  releaseRule({
    id: "CTL-10",
    level: "MUST",
    sentence: "The metadata of the newest version has a series for every released version",
    effect: "clusterctl upgrade plan and apply fail for each user who has or could get such a version",
    source: UPGRADER,
    check: onMetadata((_value, file, release) => judgeOthers(file, release)),
  }),
  releaseRule({
    id: "CTL-11",
    level: "SHOULD",
    sentence: "metadata.yaml has one entry for each series",
    effect: "The first entry of a series counts, the others are dead",
    source: "cmd/clusterctl/api/v1alpha3/metadata_type.go",
    check: onMetadata((_value, file, release) => {
      const names = seriesOf(release).map(({ major, minor }) => `${major}.${minor}`);
      const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
      const details = { at: placeOfFile(file), path: "releaseSeries" };
      if (twice.length === 0) return [pass(details)];
      return [
        warn({
          ...details,
          found: `several entries for ${twice.join(", ")}`,
          expected: "one entry for each",
        }),
      ];
    }),
  }),
  releaseRule({
    id: "CTL-12",
    level: "MUST",
    sentence: "The contract of this version's series is the newest that its CRDs claim",
    effect: "The provider installs, but core reads its objects by another contract than clusterctl expects",
    source: CLUSTERCTL_BOOK,
    check: onComponents((file, release) => {
      const series = ownSeries(release);
      if (series === undefined) return [na("metadata.yaml has no series for this version")];
      const claimed = file.documents.flatMap((document) => {
        const contract = claimOf(document.value);
        return contract === undefined ? [] : [{ document, contract }];
      });
      if (claimed.length === 0) return [na("the release has no CRD of a contract")];
      const other = claimed.filter(({ contract }) => contract !== series.contract);
      return orPass(
        other.map(({ document, contract }) =>
          wrongClaim(file, document, { found: contract, expected: series.contract }),
        ),
      );
    }),
  }),
];

type MetadataCheck = (value: Manifest, file: ReleaseFile, release: Release) => readonly Judgement[];

/** Judges metadata that clusterctl decodes; na for others, which CTL-03 and CTL-05 say. */
function onMetadata(check: MetadataCheck): ReleaseRule["check"] {
  return (release) => {
    const { metadata } = release;
    const value = metadata?.documents[0]?.value;
    if (metadata === undefined || value === undefined) return [na("the release has no metadata that parses")];
    return check(value, metadata, release);
  };
}

function namesOf(release: Release): string {
  return seriesOf(release)
    .map(({ major, minor }) => `${major}.${minor}`)
    .join(", ");
}

function judgeOthers(file: ReleaseFile, release: Release): readonly Judgement[] {
  const own = parseVersion(release.version);
  if (own === undefined) return [na("the version is not a semantic one")];
  const others = release.versions.flatMap((name) => {
    const version = parseVersion(name);
    return version === undefined || name === release.version ? [] : [{ name, version }];
  });
  const newer = others.find(({ version }) => version.compare(own) > 0);
  if (newer !== undefined) return [na(`${newer.name} is newer`)];
  const all = seriesOf(release);
  const missing = others
    .filter(({ version }) => seriesFor(all, version) === undefined)
    .map(({ name }) => name);
  const details = { at: placeOfFile(file), path: "releaseSeries" };
  if (missing.length === 0) return [pass(details)];
  return [
    fail({
      ...details,
      found: `no series for ${missing.join(", ")}`,
      expected: "a series for every version",
    }),
  ];
}

/** The newest contract that a CRD of a contract claims; undefined for other objects and IPAM pools. */
function claimOf(value: Manifest): string | undefined {
  if (textAt(value, "kind") !== "CustomResourceDefinition") return undefined;
  const role = contractRoleOf(textAt(value, "spec.group"), textAt(value, "spec.names.kind"));
  if (role === undefined || role.contractKind === "IPAMPool") return undefined;
  const labels = Object.entries(labelsOf(value)).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  return contractOf({ metadata: { name: nameOf(value), labels: Object.fromEntries(labels) } })?.contract;
}

function wrongClaim(
  file: ReleaseFile,
  document: ManifestDocument,
  { found, expected }: { readonly found: string; readonly expected: string },
): Judgement {
  return fail({ at: placeOf(file, document), path: "metadata.labels", found, expected });
}
