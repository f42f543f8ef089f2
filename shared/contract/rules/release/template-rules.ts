import { textAt } from "../../../api/path.ts";
import { fail, type Judgement, na, orPass, pass, warn } from "../rule.ts";
import { isClusterScoped } from "./cluster-scoped.ts";
import { providerOf } from "./provider-label.ts";
import {
  CLUSTERCTL_BOOK,
  nameOf,
  placeOf,
  placeOfFile,
  type ReleaseRule,
  releaseRule,
} from "./release-rule.ts";
import type { Manifest, Release, ReleaseFile } from "./subject.ts";

/** Rules on the templates of workload clusters. */
export const TEMPLATE_RULES: readonly ReleaseRule[] = [
  releaseRule({
    id: "CTL-32",
    level: "SHOULD",
    sentence:
      "An infrastructure provider has cluster-template.yaml, and flavors cluster-template-<flavor>.yaml",
    effect: "clusterctl generate cluster fails without --flavor or --from",
    source: "cmd/clusterctl/client/repository/template_client.go",
    check: onTemplates(({ templates, folder }) => {
      if (templates.some(({ name }) => name === "cluster-template.yaml")) return [pass({ path: folder })];
      return [warn({ path: folder, expected: "cluster-template.yaml" })];
    }),
  }),
  releaseRule({
    id: "CTL-33",
    level: "MUST",
    sentence: "The objects of a template live in one namespace, which exists",
    effect: "clusterctl sets one namespace for all of them and renames a Namespace object to it",
    source: CLUSTERCTL_BOOK,
    check: onTemplates((release) => eachTemplate(release, judgeNamespaces)),
  }),
  releaseRule({
    id: "CTL-34",
    level: "SHOULD",
    sentence: "Templates use NAMESPACE, CLUSTER_NAME and the other variables that clusterctl sets",
    effect: "Flags and argument of clusterctl generate cluster have no effect",
    source: CLUSTERCTL_BOOK,
    check: onTemplates((release) => eachTemplate(release, judgeVariables)),
  }),
];

/** Infrastructure providers have templates; others are judged only where they have some. */
export function onTemplates(check: ReleaseRule["check"]): ReleaseRule["check"] {
  return (release) => {
    const { label, templates, classes } = release;
    if (providerOf(label)?.type !== "infrastructure" && templates.length + classes.length === 0) {
      return [na("only an infrastructure provider has templates")];
    }
    return check(release);
  };
}

function eachTemplate(
  { templates }: Release,
  judge: (file: ReleaseFile) => readonly Judgement[],
): readonly Judgement[] {
  if (templates.length === 0) return [na("the release has no templates")];
  return templates.flatMap((file) => {
    if (file.problem !== undefined) return [na("the template does not parse", { at: placeOfFile(file) })];
    return orPass(judge(file), placeOfFile(file));
  });
}

const PATH = "metadata.namespace";

function judgeNamespaces(file: ReleaseFile): readonly Judgement[] {
  const own = file.documents
    .filter(({ value }) => value["kind"] === "Namespace")
    .map((document) => fail({ at: placeOf(file, document), expected: "no Namespace" }));
  const [first = "", ...others] = namespacesOf(file);
  if (others.length === 0) return own;
  const expected = file.documents.some(({ value }) => textAt(value, PATH) === "NAMESPACE")
    ? "NAMESPACE"
    : first;
  const strays = file.documents.filter(({ value }) => isPlaced(value) && textAt(value, PATH) !== expected);
  return [
    ...own,
    ...strays.map((document) =>
      fail({
        at: placeOf(file, document),
        path: PATH,
        found: textAt(document.value, PATH),
        expected: shown(expected),
      }),
    ),
  ];
}

function judgeVariables(file: ReleaseFile): readonly Judgement[] {
  const at = placeOfFile(file);
  if (file.variables.length === 0)
    return [warn({ at, found: "no variable", expected: "${CLUSTER_NAME}, ${NAMESPACE}" })];
  const named = file.documents
    .filter(({ value }) => isCluster(value) && !nameOf(value).includes("CLUSTER_NAME"))
    .map((document) =>
      warn({
        at: placeOf(file, document),
        path: "metadata.name",
        found: nameOf(document.value),
        expected: "${CLUSTER_NAME}",
      }),
    );
  const [namespace, ...others] = namespacesOf(file);
  const isFixed = namespace !== undefined && namespace !== "NAMESPACE" && others.length === 0;
  return isFixed ? [...named, warn({ at, path: PATH, found: namespace, expected: "${NAMESPACE}" })] : named;
}

export function isCluster({ apiVersion, kind }: Manifest): boolean {
  return kind === "Cluster" && typeof apiVersion === "string" && apiVersion.startsWith("cluster.x-k8s.io/");
}

/** Namespaces that namespaced objects of the file name; without one the target's is meant. */
function namespacesOf({ documents }: ReleaseFile): readonly string[] {
  return [
    ...new Set(documents.filter(({ value }) => isPlaced(value)).map(({ value }) => textAt(value, PATH))),
  ];
}

function isPlaced(value: Manifest): boolean {
  return textAt(value, PATH) !== "" && !isClusterScoped(textAt(value, "kind"));
}

/** The name of a common variable stands for its value. */
function shown(namespace: string): string {
  return namespace === "NAMESPACE" ? "${NAMESPACE}" : namespace;
}
