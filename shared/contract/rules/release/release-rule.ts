import { titleOf } from "../../../api/kinds.ts";
import { listAt, textAt, valueAt } from "../../../api/path.ts";
import { WAIVE_ANNOTATION } from "../../waive-annotation.ts";
import { EVERY_CONTRACT, type Judgement, na, type Place, type Rule } from "../rule.ts";
import type { Manifest, ManifestDocument, Release, ReleaseFile } from "./subject.ts";

export type ReleaseRule = Rule<Release>;
type Draft = Omit<ReleaseRule, "contracts" | "artefact"> & Partial<ReleaseRule>;

/** Completes a rule: the same under both contracts, decided by the release. */
export function releaseRule(draft: Draft): ReleaseRule {
  return { contracts: EVERY_CONTRACT, artefact: "A2", ...draft };
}

/** Page of the contract between providers and clusterctl. */
export const CLUSTERCTL_BOOK = "https://cluster-api.sigs.k8s.io/developer/providers/contracts/clusterctl";

/** Returns where a file stands; `line` is from 1. */
export function placeOfFile({ name, file }: ReleaseFile, line?: number): Place {
  return { object: name, file, line };
}

/** Returns where an object of a file stands. */
export function placeOf({ file }: ReleaseFile, { value, line }: ManifestDocument): Place {
  const waive = annotationsOf(value)[WAIVE_ANNOTATION];
  const namespace = textAt(value, "metadata.namespace");
  const object = titleOf(textAt(value, "kind"), { namespace, name: nameOf(value) });
  return { object, file, line, waive: typeof waive === "string" ? waive : undefined };
}

export function nameOf(value: Manifest): string {
  return textAt(value, "metadata.name");
}

/** The objects of a list at a path. */
export function objectsAt(value: unknown, path: string): readonly Manifest[] {
  return listAt(value, path).filter(isManifest);
}

/** The map at a path; empty where it is missing or of another type. */
export function mapAt(value: unknown, path: string): Manifest {
  const found = valueAt(value, path);
  return isManifest(found) ? found : {};
}

export function labelsOf(value: Manifest): Manifest {
  return mapAt(value, "metadata.labels");
}

export function annotationsOf(value: Manifest): Manifest {
  return mapAt(value, "metadata.annotations");
}

function isManifest(value: unknown): value is Manifest {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type FileCheck = (file: ReleaseFile, release: Release) => readonly Judgement[];

/** Judges the components; na where there are none that parse, which other rules say. */
export function onComponents(check: FileCheck): ReleaseRule["check"] {
  return (release) => {
    const { components } = release;
    if (components === undefined) return [na("the release has no components")];
    if (components.problem !== undefined)
      return [na("the components do not parse", { at: placeOfFile(components) })];
    return check(components, release);
  };
}

/** Judges each object of the components of these kinds; na where they have none. */
export function onObjects(
  kinds: readonly string[],
  check: (document: ManifestDocument, place: Place, file: ReleaseFile) => readonly Judgement[],
): ReleaseRule["check"] {
  return onComponents((file) => {
    const found = file.documents.filter(({ value }) => kinds.includes(textAt(value, "kind")));
    if (found.length === 0)
      return [na(`the components have no ${kinds.join(" or ")}`, { at: placeOfFile(file) })];
    return found.flatMap((document) => check(document, placeOf(file, document), file));
  });
}

/** Names of the variables without value and default whose name, which stands for a value, is in a text. */
export function unresolvedIn(text: string, { variables }: ReleaseFile): readonly string[] {
  return variables
    .filter((variable) => !variable.isGiven && variable.default === undefined && text.includes(variable.name))
    .map(({ name }) => name);
}
