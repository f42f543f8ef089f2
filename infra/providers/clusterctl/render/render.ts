import { valueAt } from "../../../../shared/api/path.ts";
import type { Manifest } from "../../../../shared/contract/rules/release/subject.ts";
import { missingVariables, readTemplate } from "../variables/substitute.ts";
import { type ImageOverrides, isWorkload, withImages } from "./images.ts";
import { withMetadata, withNamespace } from "./namespaces.ts";
import { substitutedObjects } from "./substituted.ts";
import { asWritten } from "./typed.ts";
import type { Values } from "./values.ts";

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
