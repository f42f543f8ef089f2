import { textAt } from "../../../api/path.ts";
import { type Judgement, na, orPass, pass, unknown, warn } from "../rule.ts";
import {
  CLUSTERCTL_BOOK,
  nameOf,
  placeOf,
  placeOfFile,
  type ReleaseRule,
  releaseRule,
  unresolvedIn,
} from "./release-rule.ts";
import type { Manifest, Release, ReleaseFile } from "./subject.ts";
import { isCluster, onTemplates } from "./template-rules.ts";

/** Rules on the ClusterClasses of a release. */
export const CLASS_RULES: readonly ReleaseRule[] = [
  releaseRule({
    id: "CTL-35",
    level: "SHOULD",
    sentence:
      "A ClusterClass is in clusterclass-<its name>.yaml, and every class that a template uses has its file",
    effect: "clusterctl generate cluster fails: failed to get the cluster class template",
    source: "cmd/clusterctl/client/clusterclass.go",
    check: onTemplates((release) => {
      const found = [
        ...release.classes.map(judgeClassFile),
        ...release.templates.flatMap((file) => judgeUses(file, release)),
      ];
      return found.length > 0
        ? found
        : [na("the release has no ClusterClass and no template with a topology")];
    }),
  }),
  releaseRule({
    id: "CTL-36",
    level: "SHOULD",
    sentence: "ClusterClass files have no variables, no namespaces, and no object in common",
    effect:
      "clusterctl generate cluster fails for the next Cluster: the object already exists in the cluster",
    source: CLUSTERCTL_BOOK,
    check: onTemplates(({ classes }) => {
      if (classes.length === 0) return [na("the release has no ClusterClass")];
      const owners = ownersOf(classes);
      return classes.flatMap((file) =>
        orPass(
          [...judgeVariables(file), ...judgeNamespaces(file), ...judgeShared(file, owners)],
          placeOfFile(file),
        ),
      );
    }),
  }),
];

function judgeClassFile(file: ReleaseFile): Judgement {
  if (file.problem !== undefined) return na("the file does not parse", { at: placeOfFile(file) });
  const expected = /^clusterclass-(.*)\.yaml$/.exec(file.name)?.[1] ?? "";
  const classes = file.documents.filter(({ value }) => isClusterClass(value));
  const [first] = classes;
  if (first === undefined)
    return warn({ at: placeOfFile(file), found: "no ClusterClass", expected: `ClusterClass ${expected}` });
  const at = placeOf(file, first);
  const names = classes.map(({ value }) => nameOf(value));
  if (names.includes(expected)) return pass({ at, path: "metadata.name", found: expected });
  const variables = unresolvedIn(names.join(" "), file);
  if (variables.length > 0)
    return unknown(`the value of ${variables.join(", ")} decides the name: --variables`, { at });
  return warn({ at, path: "metadata.name", found: names.join(", "), expected });
}

function judgeUses(file: ReleaseFile, { classes }: Release): readonly Judgement[] {
  return file.documents.flatMap((document) => {
    const path = isCluster(document.value)
      ? CLASS_PATHS.find((each) => textAt(document.value, each) !== "")
      : undefined;
    if (path === undefined) return [];
    const at = placeOf(file, document);
    const found = textAt(document.value, path);
    if (classes.some(({ name }) => name === `clusterclass-${found}.yaml`)) return [pass({ at, path, found })];
    const variables = unresolvedIn(found, file);
    if (variables.length > 0)
      return [unknown(`the value of ${variables.join(", ")} decides the class: --variables`, { at })];
    return [warn({ at, path, found, expected: `a file clusterclass-${found}.yaml` })];
  });
}

/** The paths of v1beta2 and of v1beta1. */
const CLASS_PATHS = ["spec.topology.classRef.name", "spec.topology.class"];

function isClusterClass({ apiVersion, kind }: Manifest): boolean {
  return (
    kind === "ClusterClass" && typeof apiVersion === "string" && apiVersion.startsWith("cluster.x-k8s.io/")
  );
}

function judgeVariables(file: ReleaseFile): readonly Judgement[] {
  if (file.variables.length === 0) return [];
  const found = file.variables.map(({ name }) => name).join(", ");
  const [first] = file.variables.toSorted((a, b) => a.line - b.line);
  return [
    warn({
      at: placeOfFile(file, first?.line),
      found: `variables ${found}`,
      expected: "variables of the ClusterClass itself",
    }),
  ];
}

function judgeNamespaces(file: ReleaseFile): readonly Judgement[] {
  return file.documents
    .filter(({ value }) => textAt(value, "metadata.namespace") !== "")
    .map((document) =>
      warn({
        at: placeOf(file, document),
        path: "metadata.namespace",
        found: textAt(document.value, "metadata.namespace"),
        expected: "no namespace",
      }),
    );
}

function judgeShared(
  file: ReleaseFile,
  owners: ReadonlyMap<string, readonly string[]>,
): readonly Judgement[] {
  return file.documents.flatMap((document) => {
    const others = (owners.get(identityOf(document.value)) ?? []).filter((name) => name !== file.name);
    if (others.length === 0) return [];
    const found = `also in ${others.join(", ")}`;
    return [warn({ at: placeOf(file, document), found, expected: "an object of its own in each file" })];
  });
}

/** The names of the files that have an object, by what identifies it. */
function ownersOf(classes: readonly ReleaseFile[]): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, Set<string>>();
  for (const { name, documents } of classes) {
    for (const { value } of documents) {
      const identity = identityOf(value);
      owners.set(identity, (owners.get(identity) ?? new Set()).add(name));
    }
  }
  return new Map([...owners].map(([identity, names]) => [identity, [...names]]));
}

function identityOf(value: Manifest): string {
  const [group = ""] = textAt(value, "apiVersion").split("/");
  return `${group}/${textAt(value, "kind")}/${nameOf(value)}`;
}
