import { valueAt } from "../../../../shared/api/path.ts";
import { formatImage, parseImage } from "../../../../shared/contract/rules/release/image.ts";
import type { Manifest, ManifestDocument } from "../../../../shared/contract/rules/release/subject.ts";
import { type Lookup, missingVariables, readTemplate, type Template } from "../variables/substitute.ts";
import {
  ManifestError,
  mapList,
  mapMember,
  nameOf,
  readObjects,
  withMetadata,
  withNamespace,
} from "./namespaces.ts";
import { asWritten, type ImageOverride, type ImageOverrides, type Values } from "./typed.ts";

/** UTF-16 units up to which the variable that breaks a text is searched: one parse for each. */
const MAX_SEARCHED = 4 * 1024 * 1024;
const MAX_SUSPECTS = 50;

/**
 * Returns the objects of a text with values. Throws ManifestError; where a value is the reason, its message names the
 * variable and quotes nothing. TemplateError as `evaluate`.
 */
export function substitutedObjects(template: Template, lookup: Lookup): readonly ManifestDocument[] {
  const text = template.evaluate(lookup);
  try {
    return readObjects(text);
  } catch (error) {
    if (!(error instanceof ManifestError) || error.isTooLarge) throw error;
    const given = template.variables.filter(({ name }) => lookup(name) !== undefined);
    if (given.length === 0) throw error;
    throw explained(error, template, {
      lookup,
      suspects: text.length > MAX_SEARCHED ? [] : given.slice(0, MAX_SUSPECTS),
    });
  }
}

interface Search {
  readonly lookup: Lookup;
  readonly suspects: Template["variables"];
}

function explained(error: ManifestError, template: Template, { lookup, suspects }: Search): ManifestError {
  const culprit = suspects.find(({ name }) =>
    breaks(template, (each) => (each === name ? lookup(each) : each)),
  );
  if (culprit !== undefined) {
    const reason = `the value of ${culprit.name} breaks the YAML; put it in quotes, or \${${culprit.name}} in the file`;
    return new ManifestError(reason, { line: culprit.line, cause: error });
  }
  // The text may hold values.
  const reason = "the text with values is not YAML; check them and the text around them";
  return new ManifestError(reason, { line: error.line, cause: error });
}

function breaks(template: Template, lookup: Lookup): boolean {
  try {
    readObjects(template.evaluate(lookup));
    return false;
  } catch {
    return true;
  }
}

const WORKLOADS: ReadonlySet<unknown> = new Set(["Deployment", "DaemonSet"]);

/**
 * Returns the object with overridden images of its containers and init containers; other kinds than Deployments and
 * DaemonSets stay. Throws with the object and container of an image that is not canonical, also without an override.
 */
function withImages(object: Manifest, label: string, overrides: ImageOverrides): Manifest {
  if (!isWorkload(object)) return object;
  const change = (container: Manifest): Manifest => {
    const { image } = container;
    return typeof image === "string"
      ? { ...container, image: overridden(image, { object, label, overrides }) }
      : container;
  };
  return mapMember(object, "spec", (spec) =>
    mapMember(spec, "template", (template) =>
      mapMember(template, "spec", (pod) =>
        mapList(mapList(pod, "containers", change), "initContainers", change),
      ),
    ),
  );
}

function isWorkload({ kind }: Manifest): boolean {
  return WORKLOADS.has(kind);
}

interface Overriding {
  readonly object: Manifest;
  readonly label: string;
  readonly overrides: ImageOverrides;
}

/** The more specific override wins, member by member; a digest stays. */
function overridden(text: string, { object, label, overrides }: Overriding): string {
  const image = parseImage(text);
  if (image === undefined) {
    throw new Error(
      `${nameOf(object)}: image ${text} is not canonical; write registry host, path, and tag or digest`,
    );
  }
  const found = ["all", label, `${label}/${image.name}`].flatMap((key) => overrides.get(key) ?? []);
  if (overrides.size === 0) return text;
  const last = (member: keyof ImageOverride): string | undefined =>
    found.findLast((each) => (each[member] ?? "") !== "")?.[member];
  return formatImage({
    repository: last("repository")?.replace(/\/$/, "") ?? image.repository,
    name: last("name") ?? image.name,
    tag: last("tag") ?? image.tag,
    digest: image.digest,
  });
}

interface Processing {
  /** `infrastructure-aws`; `cluster-api` for a core provider. */
  readonly label: string;
  /** The namespace; undefined: that of the Namespace object. */
  readonly targetNamespace: string | undefined;
  readonly overrides: ImageOverrides;
}

interface Rendering {
  readonly label: string;
  readonly targetNamespace: string | undefined;
  readonly values: Values;
}

/**
 * Returns the objects that clusterctl applies for a components file. Throws where clusterctl refuses it: TemplateError
 * and ManifestError with the line, others with the object.
 */
export function renderComponents(
  text: string,
  { label, targetNamespace, values }: Rendering,
): readonly Manifest[] {
  return processComponents(valuedObjects(text, values), {
    label,
    targetNamespace,
    overrides: values.overrides,
  });
}

/**
 * Returns the objects that `clusterctl generate cluster` prints for a cluster template or a ClusterClass: those of the
 * file in its order, in the target namespace, without labels and other images. Throws as `renderComponents`.
 * Source: PC-7.
 */
export function renderClusterTemplate(
  text: string,
  { targetNamespace, values }: { readonly targetNamespace: string; readonly values: Values },
): readonly Manifest[] {
  return valuedObjects(text, values).map((object) => asPlaced(withNamespace(object, targetNamespace)));
}

/** It reads no workload of a template into a structure: images stay. */
function asPlaced(object: Manifest): Manifest {
  return isWorkload(object) ? object : asWritten(object);
}

function valuedObjects(text: string, { lookup }: Values): readonly Manifest[] {
  const template = readTemplate(text);
  const missing = missingVariables(template, lookup);
  if (missing.length > 0) {
    throw new Error(
      `variables without value: ${missing.join(", ")}; set them in the environment or with --variables`,
    );
  }
  return substitutedObjects(template, lookup).map(({ value }) => value);
}

/**
 * Returns the objects as clusterctl applies them, in its order: Namespace, cert-manager's, the others as in the file.
 * (clusterctl may reverse several of cert-manager's, because its comparison is not an order.) Throws where clusterctl
 * refuses them. Source: PC-7.
 */
function processComponents(
  objects: readonly Manifest[],
  { label, targetNamespace, overrides }: Processing,
): readonly Manifest[] {
  const withOverrides = objects.map((object) => withImages(object, label, overrides));
  const namespaces = withOverrides.filter(({ kind }) => kind === "Namespace");
  if (namespaces.length > 1) {
    throw new Error("the components have more than one Namespace; clusterctl refuses them, keep one");
  }
  const [namespace] = namespaces;
  const target = targetNamespace ?? textOf(valueAt(namespace, "metadata.name"));
  if (target === "") {
    throw new Error("the components have no Namespace; add one or name it with --target-namespace");
  }
  const added =
    namespace === undefined ? [{ apiVersion: "v1", kind: "Namespace", metadata: { name: target } }] : [];
  return [...withOverrides, ...added]
    .map((object) => withLabels(asWritten(withNamespace(object, target)), label))
    .toSorted((a, b) => rankOf(a) - rankOf(b));
}

function withLabels(object: Manifest, label: string): Manifest {
  const labels = valueAt(object, "metadata.labels");
  const ours = { "clusterctl.cluster.x-k8s.io": "", "cluster.x-k8s.io/provider": label };
  return withMetadata(object, { labels: { ...(typeof labels === "object" ? labels : {}), ...ours } });
}

function rankOf({ apiVersion, kind }: Manifest): number {
  if (kind === "Namespace") return 0;
  return textOf(apiVersion).startsWith("cert-manager.io/") ? 1 : 2;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
