import { textAt } from "../../../api/path.ts";
import { fail, type Judgement, na, orPass, pass, warn } from "../rule.ts";
import { isClusterScoped } from "./cluster-scoped.ts";
import { foreignNamespaces, namespaceOf, namespacesIn } from "./namespaces.ts";
import {
  CLUSTERCTL_BOOK,
  labelsOf,
  nameOf,
  onComponents,
  placeOf,
  placeOfFile,
  type ReleaseRule,
  releaseRule,
} from "./release-rule.ts";
import type { Manifest, Release, ReleaseFile } from "./subject.ts";

const COMPONENTS = "cmd/clusterctl/client/repository/components.go";
const OBJECTS = "cmd/clusterctl/internal/util/objs.go";
const DELETE = "cmd/clusterctl/client/cluster/components.go";

/** Kinds without namespace that clusterctl takes for namespaced ones: of Kubernetes 1.34 and of cert-manager. */
const GLOBAL_KINDS: ReadonlySet<string> = new Set([
  "admissionregistration.k8s.io/MutatingAdmissionPolicy",
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding",
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding",
  "apiregistration.k8s.io/APIService",
  "cert-manager.io/ClusterIssuer",
  "certificates.k8s.io/ClusterTrustBundle",
  "flowcontrol.apiserver.k8s.io/FlowSchema",
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration",
  "networking.k8s.io/IPAddress",
  "networking.k8s.io/IngressClass",
  "networking.k8s.io/ServiceCIDR",
  "resource.k8s.io/DeviceClass",
  "resource.k8s.io/ResourceSlice",
  "storage.k8s.io/VolumeAttributesClass",
  "storagemigration.k8s.io/StorageVersionMigration",
]);

/** Returns `group/Kind` of kinds without namespace that clusterctl does not know, with those of the file's CRDs. */
function globalKindsIn({ documents }: ReleaseFile): ReadonlySet<string> {
  const own = documents
    .filter(
      ({ value }) =>
        textAt(value, "kind") === "CustomResourceDefinition" && textAt(value, "spec.scope") === "Cluster",
    )
    .map(({ value }) => `${textAt(value, "spec.group")}/${textAt(value, "spec.names.kind")}`);
  return new Set([...GLOBAL_KINDS, ...own]);
}

function isGlobal(value: Manifest, kinds: ReadonlySet<string>): boolean {
  const kind = textAt(value, "kind");
  const [group = ""] = textAt(value, "apiVersion").split("/");
  return !isClusterScoped(kind) && kinds.has(`${group}/${kind}`);
}

/** Rules on the objects of the components, whatever they do. */
export const COMPONENTS_RULES: readonly ReleaseRule[] = [
  releaseRule({
    id: "CTL-13",
    level: "MUST",
    sentence: "Components, templates and ClusterClasses are YAML objects once variables have values",
    effect: "clusterctl fails: failed to parse yaml",
    source: COMPONENTS,
    check: (release) => judgeProblems(release, "yaml", "YAML objects"),
  }),
  releaseRule({
    id: "CTL-14",
    level: "SHOULD",
    sentence: "The components have a Namespace",
    effect: "clusterctl fails without --target-namespace: target namespace can't be defaulted",
    source: COMPONENTS,
    check: onComponents((file) => {
      const at = placeOfFile(file);
      return namespacesIn(file).length > 0 ? [pass({ at })] : [warn({ at, expected: "one Namespace" })];
    }),
  }),
  releaseRule({
    id: "CTL-15",
    level: "MUST",
    sentence: "The components have not more than one Namespace",
    effect: "clusterctl refuses them: there should be no more than one resource with kind Namespace",
    source: COMPONENTS,
    check: onComponents((file) => {
      const [, ...more] = namespacesIn(file);
      return orPass(
        more.map((document) => fail({ at: placeOf(file, document), expected: "one Namespace" })),
        placeOfFile(file),
      );
    }),
  }),
  releaseRule({
    id: "CTL-16",
    level: "MUST",
    sentence: "Namespaced objects, subjects and webhook services name the Namespace of the components",
    effect:
      "clusterctl overwrites it, so that an object meant for another namespace lands in this one without a message",
    source: COMPONENTS,
    check: onComponents((file) => {
      const expected = namespaceOf(file);
      if (expected === "") return [na("the components have no Namespace", { at: placeOfFile(file) })];
      const global = globalKindsIn(file);
      const found = file.documents
        .filter(({ value }) => !isGlobal(value, global))
        .flatMap((document) =>
          foreignNamespaces(document.value, expected).map((one) =>
            fail({ at: placeOf(file, document), path: one.path, found: one.found, expected }),
          ),
        );
      return orPass(found, placeOfFile(file));
    }),
  }),
  releaseRule({
    id: "CTL-17",
    level: "SHOULD",
    sentence: "Cluster-scoped objects are of the 16 kinds that clusterctl knows",
    effect:
      "clusterctl gives it a namespace, which the API server drops; delete and upgrade remove it whatever its name is",
    source: OBJECTS,
    check: onComponents((file) => {
      const global = globalKindsIn(file);
      const others = file.documents.filter(({ value }) => isGlobal(value, global));
      return orPass(
        others.map((document) =>
          warn({ at: placeOf(file, document), path: "kind", found: textAt(document.value, "kind") }),
        ),
        placeOfFile(file),
      );
    }),
  }),
  releaseRule({
    id: "CTL-25",
    level: "MUST",
    sentence: "Every ${…} has a form that clusterctl can substitute; comments and strings count",
    effect:
      "clusterctl refuses the file: bad substitution, missing closing brace, unable to parse variable name",
    source: "cmd/clusterctl/client/yamlprocessor/simple_processor.go",
    check: (release) =>
      judgeProblems(release, "substitution", "a form such as ${NAME} or ${NAME:=default}, or $${ for text"),
  }),
  releaseRule({
    id: "CTL-26",
    level: "SHOULD",
    sentence: "Every object has the label cluster.x-k8s.io/provider with the label of the provider",
    effect:
      "clusterctl sets it; after kubectl apply of the file clusterctl does not find the object as part of the provider",
    source: CLUSTERCTL_BOOK,
    check: onComponents((file, { label }) => {
      const other = file.documents.filter(
        ({ value }) => !isLabelled(textAt(labelsOf(value), PROVIDER), label),
      );
      return orPass(
        other.map((document) => {
          const found = textAt(labelsOf(document.value), PROVIDER) || "absent";
          return warn({
            at: placeOf(file, document),
            path: `metadata.labels${PROVIDER}`,
            found,
            expected: label,
          });
        }),
        placeOfFile(file),
      );
    }),
  }),
  releaseRule({
    id: "CTL-31",
    level: "SHOULD",
    sentence:
      "Names of cluster-scoped objects begin with the namespace and a dash; CRDs and webhooks are free",
    effect: "clusterctl delete and upgrade skip the object and leave it behind",
    source: DELETE,
    check: onComponents((file) => {
      const namespace = namespaceOf(file);
      if (namespace === "") return [na("the components have no Namespace", { at: placeOfFile(file) })];
      const prefix = `${namespace}-`;
      const unprefixed = file.documents.filter(
        ({ value }) => needsPrefix(textAt(value, "kind")) && !nameOf(value).startsWith(prefix),
      );
      return orPass(
        unprefixed.map((document) =>
          warn({
            at: placeOf(file, document),
            path: "metadata.name",
            found: nameOf(document.value),
            expected: `${prefix}…`,
          }),
        ),
        placeOfFile(file),
      );
    }),
  }),
];

const PROVIDER = "[cluster.x-k8s.io/provider]";

const FREE: ReadonlySet<string> = new Set([
  "CustomResourceDefinition",
  "MutatingWebhookConfiguration",
  "Namespace",
  "ValidatingWebhookConfiguration",
]);

function needsPrefix(kind: string): boolean {
  return isClusterScoped(kind) && !FREE.has(kind);
}

/** The plural that a table of the book shows is CTL-43's. */
function isLabelled(found: string, label: string): boolean {
  return (
    found === label || (found.startsWith("runtime-extensions-") && label.startsWith("runtime-extension-"))
  );
}

/** Judges each file that clusterctl substitutes. */
function judgeProblems(
  release: Release,
  at: "yaml" | "substitution",
  expected: string,
): readonly Judgement[] {
  const files = [
    ...(release.components === undefined ? [] : [release.components]),
    ...release.templates,
    ...release.classes,
  ];
  if (files.length === 0) return [na("the release has no components and no templates")];
  return files.map((file) => judgeProblem(file, at, expected));
}

function judgeProblem(file: ReleaseFile, at: "yaml" | "substitution", expected: string): Judgement {
  const { problem } = file;
  if (problem === undefined) return pass({ at: placeOfFile(file) });
  if (problem.at === at)
    return fail({ at: placeOfFile(file, problem.line), found: problem.message, expected });
  return at === "yaml"
    ? na("its variables do not parse", { at: placeOfFile(file) })
    : pass({ at: placeOfFile(file) });
}
