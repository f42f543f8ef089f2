import { DNS_SUBDOMAIN } from "../../../api/meta.ts";
import { textAt } from "../../../api/path.ts";
import { fail, na, orPass, pass, unknown, warn } from "../rule.ts";
import { CORE_LABEL, componentsFileName, providerOf } from "./provider-label.ts";
import {
  CLUSTERCTL_BOOK,
  labelsOf,
  onComponents,
  placeOf,
  placeOfFile,
  type ReleaseRule,
  releaseRule,
} from "./release-rule.ts";
import type { Release } from "./subject.ts";
import { parseVersion } from "./version.ts";

const LABELS =
  "cluster-api, or bootstrap-, control-plane-, infrastructure-, ipam-, runtime-extension- or addon- with a name";
const NAME = new RegExp(`^${DNS_SUBDOMAIN}$`);
const MAX_NAME = 63;

/** Names the guess, so that a wrong one is seen. */
function flatText({ label, version }: Release): string {
  return `a flat folder, judged as ${label}/${version} by its labels and its newest series; --release names it otherwise`;
}

/** Rules on the names of folders and files: how clusterctl finds a release. */
export const FOLDER_RULES: readonly ReleaseRule[] = [
  releaseRule({
    id: "CTL-01",
    level: "MUST",
    sentence: "The release is a folder <provider-label>/<version>/ with the label of its provider",
    effect: "clusterctl refuses the provider: path … must contain provider …",
    source: "cmd/clusterctl/client/repository/repository_local.go",
    check: (release) => {
      const { label, folder } = release;
      if (release.isFlat) return [na(flatText(release))];
      return providerOf(label) === undefined
        ? [fail({ path: folder, found: label, expected: `${LABELS}; --release says it of a flat folder` })]
        : [pass({ path: folder, found: label })];
    },
  }),
  releaseRule({
    id: "CTL-02",
    level: "MUST",
    sentence: "The folder of a version is named by a semantic version with a leading v",
    effect: "clusterctl refuses it with invalid version, or passes over the folder when it lists versions",
    source: "cmd/clusterctl/client/repository/repository_local.go",
    check: (release) => {
      const { version, folder } = release;
      if (release.isFlat) return [na(flatText(release))];
      const expected = "a semantic version such as v1.2.3";
      if (parseVersion(version) === undefined) return [fail({ path: folder, found: version, expected })];
      if (version.startsWith("v")) return [pass({ path: folder, found: version })];
      const effect = "clusterctl finds it by this version only: latest and upgrade look for it with a v";
      return [warn({ path: folder, found: version, expected: `v${version}`, effect })];
    },
  }),
  releaseRule({
    id: "CTL-03",
    level: "MUST",
    sentence: "The release has metadata.yaml and a components file",
    effect: "clusterctl cannot read the release and names the missing file",
    source: "cmd/clusterctl/client/repository/repository_local.go",
    check: (release) =>
      orPass(missingFiles(release).map((expected) => fail({ path: release.folder, expected }))),
  }),
  releaseRule({
    id: "CTL-04",
    level: "SHOULD",
    sentence: "The components file is named after the type of its provider",
    effect: "clusterctl reads any name that the configured URL ends with, but users expect this one",
    source: CLUSTERCTL_BOOK,
    check: ({ label, components }) => {
      if (components === undefined) return [na("the release has no components")];
      const at = placeOfFile(components);
      const expected = componentsFileName(label);
      if (components.name === expected) return [pass({ at, found: components.name })];
      return [warn({ at, found: components.name, expected })];
    },
  }),
  releaseRule({
    id: "CTL-41",
    level: "MUST",
    sentence:
      "The name of a provider is a lower-case RFC 1123 subdomain of at most 63 characters, and cluster-api is core's alone",
    effect: "clusterctl refuses the name in its configuration",
    source: "cmd/clusterctl/client/config/providers_client.go",
    check: ({ label, folder }) => {
      const provider = providerOf(label);
      if (provider === undefined) return [na("the folder has no label of a provider")];
      const { name, type } = provider;
      const isTaken = name === CORE_LABEL && type !== "core";
      if (!isTaken && name.length <= MAX_NAME && NAME.test(name))
        return [pass({ path: folder, found: name })];
      const expected = isTaken
        ? "another name than that of core"
        : "lower-case letters, digits and dashes, at most 63";
      return [fail({ path: folder, found: name, expected })];
    },
  }),
  releaseRule({
    id: "CTL-42",
    level: "MUST",
    sentence: "A management cluster has one instance of each provider and exactly one core provider",
    effect: "clusterctl init refuses it: there is already an instance of the provider installed",
    source: "cmd/clusterctl/client/cluster/installer.go",
    check: () => [unknown("only a management cluster decides this: clusterctl init")],
  }),
  releaseRule({
    id: "CTL-43",
    level: "SHOULD",
    sentence: "The label of a runtime extension is runtime-extension-<name>",
    effect:
      "clusterctl labels it runtime-extension-<name>, whatever the book shows, so that an earlier install is not found",
    source: "cmd/clusterctl/api/v1alpha3/provider_type.go",
    check: onComponents((file, { label }) => {
      if (providerOf(label)?.type !== "runtime-extension") return [na("it is not a runtime extension")];
      const plural = file.documents.filter(({ value }) =>
        textAt(labelsOf(value), PROVIDER_PATH).startsWith(PLURAL),
      );
      const path = `metadata.labels${PROVIDER_PATH}`;
      return orPass(
        plural.map((document) => {
          const found = textAt(labelsOf(document.value), PROVIDER_PATH);
          return warn({ at: placeOf(file, document), path, found, expected: label });
        }),
      );
    }),
  }),
];

const PROVIDER_PATH = "[cluster.x-k8s.io/provider]";
/** The form that a table of the book shows. */
const PLURAL = "runtime-extensions-";

function missingFiles({ metadata, components, label }: Release): readonly string[] {
  return [
    ...(metadata === undefined ? ["metadata.yaml"] : []),
    ...(components === undefined ? [componentsFileName(label)] : []),
  ];
}
