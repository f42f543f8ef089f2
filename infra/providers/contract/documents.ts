import { basename, dirname, join } from "node:path";
import { WAIVE_ANNOTATION } from "../../../shared/contract/waive-annotation.ts";
import { isObject } from "../../platform/kube/kind-shapes.ts";
import { FILE_BOUNDS, readYaml, type YamlBounds, YamlError } from "../../platform/yaml/read-yaml.ts";
import { linesOf } from "../../platform/yaml/yaml-survey.ts";
import type { InputProblem } from "./finding.ts";
import type { InputDocument } from "./read-crd.ts";
import { type PlacedCrd, textsAt } from "./read-crd.ts";
import type { TextFile } from "./read-files.ts";

interface ReadDocuments {
  readonly documents: readonly InputDocument[];
  readonly problems: readonly InputProblem[];
}

/** The most documents of all files together, empty documents and those that cannot be read included. */
const MAX_DOCUMENTS = 50_000;
/** Bounds of one document. */
const BOUNDS: YamlBounds = { ...FILE_BOUNDS, maxDocuments: 1 };

/**
 * Reads each object of some files; lists are unpacked, and values that are not objects of Kubernetes are left out. A
 * document that is not YAML is a problem with its line; the others are read, up to the bound.
 */
export function documentsOf(files: readonly TextFile[]): ReadDocuments {
  const documents: InputDocument[] = [];
  const problems: InputProblem[] = [];
  let count = 0;
  for (const { file, part } of partsIn(files)) {
    const read = readPart(file, part);
    for (const document of read.documents) documents.push(document);
    problems.push(...read.problems);
    count += Math.max(1, read.documents.length);
    if (count > MAX_DOCUMENTS) {
      const message = `ends the reading: more than ${MAX_DOCUMENTS} documents and objects; name fewer files`;
      return {
        documents: documents.slice(0, MAX_DOCUMENTS),
        problems: [...problems, { file, line: part.line, message }],
      };
    }
  }
  return { documents, problems };
}

function readPart(file: string, part: Part): ReadDocuments {
  if (isBlank(part.text)) return { documents: [], problems: [] };
  try {
    const [document] = readYaml(part.text, BOUNDS);
    const line = part.line + Math.max(document?.line ?? 1, 1) - 1;
    const lines = lazyLines(part);
    const documents = unpacked(document?.value).map(({ object, prefix }) => {
      return { value: object, file, line, lineAt: (path: string) => lines(prefix + path) };
    });
    return { documents, problems: [] };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const problem = { file, line: part.line + (error.line ?? 1) - 1, message: problemOf(error) };
    return { documents: [], problems: [problem] };
  }
}

interface Part {
  readonly text: string;
  /** The line of its first character, from 1. */
  readonly line: number;
}

function* partsIn(files: readonly TextFile[]): Generator<{ readonly file: string; readonly part: Part }> {
  for (const { file, text } of files) for (const part of partsOf(text)) yield { file, part };
}

/** A line of three dashes begins a document wherever it stands: no value of YAML may hold one. */
const MARKER = /^---(?=\s|$)/gm;

/** Splits a file at its documents, so that one bad document does not take the others with it. */
function* partsOf(text: string): Generator<Part> {
  let start = 0;
  let line = 1;
  for (const end of endsOf(text)) {
    const part = text.slice(start, end);
    yield { text: part, line };
    line += part.split("\n").length - 1;
    start = end;
  }
}

function* endsOf(text: string): Generator<number> {
  for (const { index } of text.matchAll(MARKER)) if (index > 0) yield index;
  yield text.length;
}

/** Any line but markers, comments and directives. */
const CONTENT = /^(?![ \t]*(?:[#%]|\r?$)|---[ \t]*(?:#|\r?$)).+/m;

function isBlank(part: string): boolean {
  return !CONTENT.test(part);
}

/** The message of the parser may quote the text, which may be that of a Secret. */
function problemOf({ bound, message, line }: YamlError): string {
  if (bound !== undefined) return `has ${bound}; make it smaller`;
  const reason = (line === undefined ? message : message.replace(/^line \d+: /, "")).replaceAll(
    /"[^"]*"|'[^']*'|<[^>]*>/g,
    "…",
  );
  return `is not YAML: ${reason.split("\n")[0]?.slice(0, 200)}`;
}

/** Most documents need no line of a path: nothing is read again before the first call. */
function lazyLines(part: Part): (path: string) => number {
  let lines: ((path: string) => number) | undefined;
  return (path) => {
    lines ??= linesOf(part.text);
    return part.line + lines(path) - 1;
  };
}

interface Unpacked {
  readonly object: InputDocument["value"];
  /** The text before a path in the object, for a path in the document. */
  readonly prefix: string;
}

function unpacked(value: unknown): readonly Unpacked[] {
  if (!isObject(value)) return [];
  const { kind, apiVersion, items } = value;
  if (typeof kind !== "string" || typeof apiVersion !== "string") return [];
  if (!kind.endsWith("List") || !Array.isArray(items)) return [{ object: value, prefix: "" }];
  // Items of a typed list leave out their kind.
  const implied = kind === "List" ? {} : { apiVersion, kind: kind.slice(0, -"List".length) };
  return items.flatMap((item, index) =>
    isObject(item) ? [{ object: { ...implied, ...item }, prefix: `items[${index}].` }] : [],
  );
}

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
