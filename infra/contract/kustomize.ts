import { basename, dirname, join } from "node:path";
import { WAIVE_ANNOTATION } from "../../shared/contract/rules/rule.ts";
import { isObject } from "../kube/object-shape.ts";
import { FILE_BOUNDS, readYaml, YamlError } from "../yaml/read-yaml.ts";
import type { InputDocument } from "./documents.ts";
import type { InputProblem } from "./finding.ts";
import { type PlacedCrd, textsAt } from "./read-crd.ts";
import type { TextFile } from "./read-files.ts";

/*
 * Providers keep the labels of their CRDs apart from the generated files: in the kustomization.yaml of the folder, or in
 * patches. Both are applied as kustomize does, so that a folder of sources is judged as the release will be.
 */

const FILES = new Set(["kustomization.yaml", "kustomization.yml", "kustomization.json"]);

export function isKustomization({ file }: TextFile): boolean {
  return FILES.has(basename(file));
}

/** Labels that a kustomization puts on the objects of its resources. */
export interface Kustomization {
  readonly folder: string;
  readonly labels: { readonly [key: string]: string };
  readonly resources: readonly string[];
}

/** Reads the labels of a kustomization; of a file that is not one, the problem. */
export function readKustomization({ file, text }: TextFile): Kustomization | InputProblem {
  try {
    const [document] = readYaml(text, FILE_BOUNDS);
    const value = isObject(document?.value) ? document.value : {};
    const pairs = Array.isArray(value["labels"]) ? value["labels"].filter(isObject) : [];
    const resources = Array.isArray(value["resources"]) ? value["resources"] : [];
    return {
      folder: dirname(file),
      labels: Object.assign(
        {},
        textsAt(value, "commonLabels"),
        ...pairs.map((each) => textsAt(each, "pairs")),
      ),
      resources: resources.filter((name) => typeof name === "string"),
    };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { file, line: error.line, message: "is not YAML; write it as kustomize reads it" };
  }
}

/** Returns the CRD with the labels of patches for its name, then of the kustomizations that list its file. */
export function kustomized(
  { crd, place }: PlacedCrd,
  patches: readonly InputDocument[],
  kustomizations: readonly Kustomization[],
): PlacedCrd {
  const metadata = patches
    .map(({ value }) => (isObject(value["metadata"]) ? value["metadata"] : {}))
    .filter(({ name }) => name === crd.metadata.name);
  const added = kustomizations.filter((one) => lists(one, place.file ?? "")).map(({ labels }) => labels);
  const labels = Object.assign(
    {},
    crd.metadata.labels,
    ...metadata.map((each) => textsAt(each, "labels")),
    ...added,
  );
  const annotations = Object.assign(
    {},
    crd.metadata.annotations,
    ...metadata.map((each) => textsAt(each, "annotations")),
  );
  const waive = annotations[WAIVE_ANNOTATION];
  return { crd: { ...crd, metadata: { ...crd.metadata, labels, annotations } }, place: { ...place, waive } };
}

/** By its path, or by its name where the file lies beside the kustomization. */
function lists({ folder, resources }: Kustomization, file: string): boolean {
  return resources.some(
    (resource) =>
      join(folder, resource) === file || (dirname(file) === folder && basename(resource) === basename(file)),
  );
}

/** Patches for CRDs that are nowhere. */
export function strayPatches(
  patches: readonly InputDocument[],
  crds: readonly PlacedCrd[],
): readonly InputProblem[] {
  const names = new Set<unknown>(crds.map(({ crd }) => crd.metadata.name));
  return patches.flatMap(({ value, file, line }) => {
    const name = isObject(value["metadata"]) ? value["metadata"]["name"] : undefined;
    if (names.has(name)) return [];
    return [
      {
        file,
        line,
        message: `${String(name)} has no spec.versions, and no other file has the CRD; name both`,
      },
    ];
  });
}
