import type { Manifest } from "../../../../shared/contract/rules/release/subject.ts";
import { missingVariables, readTemplate } from "../variables/substitute.ts";
import { processComponents } from "./components.ts";
import { isWorkload } from "./images.ts";
import { withNamespace } from "./namespaces.ts";
import { substitutedObjects } from "./substituted.ts";
import { asWritten } from "./typed.ts";
import type { Values } from "./values.ts";

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
