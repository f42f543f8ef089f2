import { basename, dirname, join } from "node:path";
import { WAIVE_ANNOTATION } from "../../../shared/contract/waive-annotation.ts";
import { isObject } from "../../platform/kube/object-shape.ts";
import { FILE_BOUNDS, readYaml, YamlError } from "../../platform/yaml/read-yaml.ts";
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
  /** Paths of its resources, joined to the folder. */
  readonly paths: ReadonlySet<string>;
  /** Their file names. */
  readonly names: ReadonlySet<string>;
}

/** Reads the labels of a kustomization; of a file that is not one, the problem. */
export function readKustomization({ file, text }: TextFile): Kustomization | InputProblem {
  try {
    const [document] = readYaml(text, FILE_BOUNDS);
    const value = isObject(document?.value) ? document.value : {};
    const pairs = Array.isArray(value["labels"]) ? value["labels"].filter(isObject) : [];
    const listed = Array.isArray(value["resources"]) ? value["resources"] : [];
    const resources = listed.filter((name) => typeof name === "string");
    const folder = dirname(file);
    return {
      folder,
      labels: Object.assign(
        {},
        textsAt(value, "commonLabels"),
        ...pairs.map((each) => textsAt(each, "pairs")),
      ),
      paths: new Set(resources.map((name) => join(folder, name))),
      names: new Set(resources.map((name) => basename(name))),
    };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { file, line: error.line, message: "is not YAML; write it as kustomize reads it" };
  }
}

/** Returns what gives a CRD the labels of patches for its name, then of the kustomizations that list its file. */
export function kustomizing(
  patches: readonly InputDocument[],
  kustomizations: readonly Kustomization[],
): (one: PlacedCrd) => PlacedCrd {
  const metadata = patches.map(({ value }) => (isObject(value["metadata"]) ? value["metadata"] : {}));
  const patchesOf = Map.groupBy(metadata, ({ name }) => name);
  return ({ crd, place }) => {
    const own = patchesOf.get(crd.metadata.name) ?? [];
    const added = kustomizations.filter((one) => lists(one, place.file ?? "")).map(({ labels }) => labels);
    const labels = Object.assign(
      {},
      crd.metadata.labels,
      ...own.map((each) => textsAt(each, "labels")),
      ...added,
    );
    const annotations = Object.assign(
      {},
      crd.metadata.annotations,
      ...own.map((each) => textsAt(each, "annotations")),
    );
    const waive = annotations[WAIVE_ANNOTATION];
    return {
      crd: { ...crd, metadata: { ...crd.metadata, labels, annotations } },
      place: { ...place, waive },
    };
  };
}

/** Whether it lists a file by its path, or by its name where the file lies beside the kustomization. */
function lists({ folder, paths, names }: Kustomization, file: string): boolean {
  return paths.has(file) || (dirname(file) === folder && names.has(basename(file)));
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
