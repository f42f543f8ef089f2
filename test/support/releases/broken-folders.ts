import { type BrokenRelease, type Change, COMPONENTS, components, edited, relabelled } from "./change.ts";
import { GOOD_FILES } from "./good-release.ts";

/** A runtime extension whose objects have the label with an s. */
function plural(): Change {
  const { label, files } = relabelled("runtime-extension-good", "runtime-extension-components.yaml");
  const text = files?.["runtime-extension-components.yaml"]?.replaceAll(
    "provider: runtime-extension-",
    "provider: runtime-extensions-",
  );
  return { label, files: { ...files, "runtime-extension-components.yaml": text } };
}

/** Releases that break a rule on folders, names and metadata. */
export const BROKEN_FOLDERS: readonly BrokenRelease[] = [
  [
    "CTL-01",
    "a label without a known prefix",
    relabelled("good", "core-components.yaml"),
    { verdict: "fail", found: "good" },
  ],
  [
    "CTL-01",
    "the plural of the book",
    relabelled("runtime-extensions-good", "core-components.yaml"),
    { verdict: "fail" },
  ],
  ["CTL-02", "a version that is not semantic", { version: "v1.2" }, { verdict: "fail", found: "v1.2" }],
  ["CTL-02", "a version without v", { version: "1.2.0" }, { verdict: "warn", expected: "v1.2.0" }],
  [
    "CTL-03",
    "no components",
    { files: { [COMPONENTS]: undefined } },
    { verdict: "fail", expected: COMPONENTS },
  ],
  [
    "CTL-03",
    "no metadata",
    { files: { "metadata.yaml": undefined } },
    { verdict: "fail", expected: "metadata.yaml" },
  ],
  [
    "CTL-04",
    "another file name",
    { files: { [COMPONENTS]: undefined, "components.yaml": GOOD_FILES[COMPONENTS] } },
    { verdict: "warn" },
  ],
  [
    "CTL-05",
    "another apiVersion",
    { files: edited("metadata.yaml", "v1alpha3", "v1alpha4") },
    { verdict: "fail" },
  ],
  ["CTL-05", "metadata that does not parse", { files: { "metadata.yaml": "a: b: c" } }, { verdict: "fail" }],
  [
    "CTL-06",
    "another kind",
    { files: edited("metadata.yaml", "kind: Metadata", "kind: Metadatum") },
    { verdict: "fail" },
  ],
  ["CTL-06", "no kind", { files: edited("metadata.yaml", "kind: Metadata\n", "") }, { verdict: "warn" }],
  [
    "CTL-07",
    "no series",
    {
      files: edited(
        "metadata.yaml",
        "\n- {major: 1, minor: 1, contract: v1beta1}\n- {major: 1, minor: 2, contract: v1beta2}",
        " []",
      ),
      others: [],
    },
    { verdict: "fail" },
  ],
  [
    "CTL-07",
    "a series with texts for numbers",
    { files: { "metadata.yaml": `${GOOD_FILES["metadata.yaml"]}- {major: "1", minor: 3}\n` } },
    { verdict: "fail" },
  ],
  [
    "CTL-08",
    "no series of its own",
    { files: edited("metadata.yaml", "minor: 2", "minor: 3") },
    { verdict: "fail", found: "1.1, 1.3" },
  ],
  [
    "CTL-09",
    "an old contract",
    {
      files: {
        ...edited("metadata.yaml", "v1beta2", "v1alpha4"),
        ...edited(COMPONENTS, "    cluster.x-k8s.io/v1beta2: v1beta2\n", ""),
      },
    },
    { verdict: "fail" },
  ],
  [
    "CTL-10",
    "a released version without series",
    { others: ["v1.1.0", "v0.9.0-rc.1", "not-a-version"] },
    { verdict: "fail", found: "no series for v0.9.0-rc.1" },
  ],
  [
    "CTL-11",
    "two entries of a series",
    {
      files: { "metadata.yaml": `${GOOD_FILES["metadata.yaml"]}- {major: 1, minor: 1, contract: v1beta2}\n` },
    },
    { verdict: "warn" },
  ],
  [
    "CTL-12",
    "a CRD of another contract",
    components("cluster.x-k8s.io/v1beta2: v1beta2", "cluster.x-k8s.io/v1beta1: v1beta2"),
    { verdict: "fail", found: "v1beta1" },
  ],
  [
    "CTL-41",
    "a name with capitals",
    relabelled("infrastructure-Good", COMPONENTS),
    { verdict: "fail", found: "Good" },
  ],
  [
    "CTL-43",
    "the label that the book shows",
    plural(),
    { verdict: "warn", found: "runtime-extensions-good", expected: "runtime-extension-good" },
  ],
  ["CTL-41", "the name of core", relabelled("infrastructure-cluster-api", COMPONENTS), { verdict: "fail" }],
];
