import { textAt } from "../../../api/path.ts";
import { OWNER_CHAIN_TEXT } from "../objects/lineage.ts";
import { type Judgement, orPass, type Place, unknown, warn } from "../rule.ts";
import { containersOf, podSpecOf } from "./containers.ts";
import {
  CLUSTERCTL_BOOK,
  mapAt,
  nameOf,
  objectsAt,
  onComponents,
  placeOf,
  placeOfFile,
  type ReleaseRule,
  releaseRule,
} from "./release-rule.ts";
import type { Manifest, ReleaseFile } from "./subject.ts";

/** Rules on objects that others refer to, and those that only objects or a running provider decide. */
export const REFERENCE_RULES: readonly ReleaseRule[] = [
  releaseRule({
    ...OWNER_CHAIN_TEXT,
    check: () => [unknown("only objects of a Cluster (A3) decide this: capstan contract check --live")],
  }),
  releaseRule({
    id: "CTL-38",
    level: "SHOULD",
    sentence: "Roles, ServiceAccounts, Secrets and ConfigMaps that the components refer to are in the file",
    effect: "clusterctl installs without it; the provider does not start or has no rights",
    source: CLUSTERCTL_BOOK,
    check: onComponents((file) => {
      const known = new Set([...file.documents.map(({ value }) => keyOf(value)), ...issuedSecrets(file)]);
      const missing = file.documents.flatMap((document) => {
        const at = placeOf(file, document);
        return referencesOf(document.value)
          .filter(({ to }) => !known.has(to))
          .map((reference) => toWarning(reference, at));
      });
      return orPass(missing, placeOfFile(file));
    }),
  }),
  releaseRule({
    id: "CTL-39",
    level: "MUST",
    artefact: "A4",
    sentence: "The status can be rebuilt from spec, metadata and the outside world",
    effect: "clusterctl move never restores a status",
    source: CLUSTERCTL_BOOK,
    check: () => [unknown("only a running provider (A4) decides this: capstan contract probe")],
  }),
  releaseRule({
    id: "CTL-40",
    level: "MUST",
    artefact: "A4",
    sentence:
      "Controllers respect spec.paused of the Cluster, and slow ones announce themselves by the block-move annotation",
    effect: "clusterctl move copies objects that still change",
    source: CLUSTERCTL_BOOK,
    check: () => [unknown("only a running provider (A4) decides this: capstan contract probe")],
  }),
];

interface Reference {
  readonly path: string;
  /** `Kind name` */
  readonly to: string;
}

function toWarning({ path, to }: Reference, at: Place): Judgement {
  return warn({ at, path, found: to, expected: "an object of the file" });
}

function keyOf(value: Manifest): string {
  return `${textAt(value, "kind")} ${nameOf(value)}`;
}

/** cert-manager makes them. */
function issuedSecrets({ documents }: ReleaseFile): readonly string[] {
  return documents
    .filter(({ value }) => textAt(value, "kind") === "Certificate")
    .map(({ value }) => `Secret ${textAt(value, "spec.secretName")}`);
}

function referencesOf(value: Manifest): readonly Reference[] {
  switch (textAt(value, "kind")) {
    case "ClusterRoleBinding":
    case "RoleBinding":
      return bindingReferences(value);
    case "DaemonSet":
    case "Deployment":
    case "StatefulSet":
      return podReferences(value);
    default:
      return [];
  }
}

/** Roles that every API server has. */
const BUILT_IN: ReadonlySet<string> = new Set(["admin", "cluster-admin", "edit", "view"]);

function bindingReferences(value: Manifest): readonly Reference[] {
  const [kind, name] = [textAt(value, "roleRef.kind"), textAt(value, "roleRef.name")];
  const isBuiltIn = kind === "ClusterRole" && (BUILT_IN.has(name) || name.startsWith("system:"));
  return isBuiltIn ? [] : [{ path: "roleRef", to: `${kind} ${name}` }];
}

function podReferences(value: Manifest): readonly Reference[] {
  const pod = podSpecOf(value);
  const account = textAt(pod, "serviceAccountName");
  const path = "spec.template.spec";
  return [
    ...(account === "" || account === "default"
      ? []
      : [{ path: `${path}.serviceAccountName`, to: `ServiceAccount ${account}` }]),
    ...objectsAt(pod, "volumes").flatMap((volume) => [
      ...needed(volume, "secret", {
        member: "secretName",
        kind: "Secret",
        path: `${path}.volumes[${textAt(volume, "name")}]`,
      }),
      ...needed(volume, "configMap", {
        member: "name",
        kind: "ConfigMap",
        path: `${path}.volumes[${textAt(volume, "name")}]`,
      }),
    ]),
    ...containersOf(value).flatMap((container) => [
      ...objectsAt(container.value, "env").flatMap((variable) =>
        keyReferences(variable, `${container.path}.env`),
      ),
      ...objectsAt(container.value, "envFrom").flatMap((source) => [
        ...needed(source, "secretRef", { member: "name", kind: "Secret", path: `${container.path}.envFrom` }),
        ...needed(source, "configMapRef", {
          member: "name",
          kind: "ConfigMap",
          path: `${container.path}.envFrom`,
        }),
      ]),
    ]),
  ];
}

function keyReferences(variable: Manifest, path: string): readonly Reference[] {
  return [
    ...needed(variable, "valueFrom.secretKeyRef", { member: "name", kind: "Secret", path }),
    ...needed(variable, "valueFrom.configMapKeyRef", { member: "name", kind: "ConfigMap", path }),
  ];
}

/** One reference; an optional one needs no object. */
function needed(
  value: Manifest,
  at: string,
  { member, kind, path }: { readonly member: string; readonly kind: string; readonly path: string },
): readonly Reference[] {
  const reference = mapAt(value, at);
  const name = textAt(reference, member);
  if (name === "" || reference["optional"] === true) return [];
  return [{ path: `${path}.${at}`, to: `${kind} ${name}` }];
}
