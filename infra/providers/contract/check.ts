import { ALL_RULES } from "../../../shared/contract/rules/all.ts";
import type { Crd } from "../../../shared/contract/rules/crd/subject.ts";
import { aggregatedIn, releaseAround } from "../../../shared/contract/rules/release/around.ts";
import type { Release } from "../../../shared/contract/rules/release/subject.ts";
import type { ReleaseName } from "../clusterctl/release/read-release.ts";
import { NO_VALUES, type Values } from "../clusterctl/render/typed.ts";
import {
  documentsOf,
  isKustomization,
  type Kustomization,
  kustomizing,
  readKustomization,
  strayPatches,
} from "./documents.ts";
import type { Finding, InputProblem, Outcome, ReportedCrd } from "./finding.ts";
import { judgeRelease } from "./judge.ts";
import { type CrdOptions, judgeCrds, reportedCrd } from "./judge-crds.ts";
import { isJudgedDocument, judgeDocumentObjects, type ObjectOptions } from "./objects/judge-objects.ts";
import type { InputDocument } from "./read-crd.ts";
import { isDefinition, isPatch, type PlacedCrd, readCrd, type WhyRefused } from "./read-crd.ts";
import { readFiles } from "./read-files.ts";
import { withCheckedWaivers } from "./waivers.ts";

export interface CheckOptions extends Omit<CrdOptions, "release">, ObjectOptions {
  readonly whyRefused: WhyRefused;
  /** The values of variables in releases; absent where each takes its default or its name. */
  readonly values?: Values;
  /** Label and version of a release whose folder is not named after them. */
  readonly releaseName?: ReleaseName | undefined;
}

/** Judges everything below some paths; `-` is standard input. Inputs that cannot be read are problems of the outcome. */
export async function checkPaths(paths: readonly string[], options: CheckOptions): Promise<Outcome> {
  const outcomes: Partial<Outcome>[] = [];
  let all: readonly InputDocument[] = [];
  let crds: readonly Crd[] = [];
  for (const path of [...new Set(paths)]) {
    const { documents, kustomizations, releases, problems } = await readInputs(path);
    outcomes.push({ problems });
    const { definitions, ...plain } = judgeDefinitions(documents, { ...options, kustomizations });
    const isJudged = (one: InputDocument) => isDefinition(one) || isJudgedDocument(one, options);
    const hasSomething = releases.length > 0 || documents.some(isJudged);
    if (!hasSomething && problems.length === 0) outcomes.push({ problems: [nothingIn(path, documents)] });
    outcomes.push(plain);
    for (const folder of releases) outcomes.push(...(await checkRelease(folder, options)));
    all = all.concat(documents);
    crds = crds.concat(definitions);
  }
  const objects = judgeDocumentObjects(all, crds, options);
  return merged(outcomes, objects);
}

/** Judges a release, and each CRD in it with what is around it. */
async function checkRelease(folder: string, options: CheckOptions): Promise<readonly Partial<Outcome>[]> {
  const { values = NO_VALUES, waivers, releaseName: named } = options;
  const judged = await judgeRelease(folder, { values, named, waivers, knownRules: KNOWN_RULES });
  if (!("release" in judged)) return [{ problems: [judged] }];
  const { release, documents, findings, problems } = judged;
  return [{ findings, problems }, judgeDefinitions(documents, { ...options, release })];
}

interface Inputs {
  readonly documents: readonly InputDocument[];
  readonly kustomizations: readonly Kustomization[];
  readonly releases: readonly string[];
  readonly problems: readonly InputProblem[];
}

async function readInputs(path: string): Promise<Inputs> {
  const { files, releases, problems } = await readFiles(path);
  const read = documentsOf(files.filter((file) => !isKustomization(file)));
  const overlays = files.filter(isKustomization).map(readKustomization);
  return {
    documents: read.documents,
    kustomizations: overlays.filter((one) => "folder" in one),
    releases,
    problems: [...problems, ...read.problems, ...overlays.filter((one) => "message" in one)],
  };
}

function nothingIn(file: string, documents: readonly InputDocument[]): InputProblem {
  const kinds = [...new Set(documents.map(({ value }) => String(value["kind"])))].slice(0, 5);
  const has = kinds.length === 0 ? "has no object of Kubernetes" : `has ${kinds.join(", ")} only`;
  return {
    file,
    line: documents[0]?.line ?? 1,
    message: `${has}; name a CustomResourceDefinition, a release or the objects of a provider`,
  };
}

interface JudgeOptions extends CheckOptions {
  readonly kustomizations?: readonly Kustomization[];
  /** The documents are its components. */
  readonly release?: Release;
}

interface Definitions extends Omit<Outcome, "rules"> {
  readonly definitions: readonly Crd[];
}

/** Judges the CRDs among documents that belong together. */
function judgeDefinitions(documents: readonly InputDocument[], options: JudgeOptions): Definitions {
  const definitions = documents.filter(isDefinition);
  const patches = definitions.filter(isPatch);
  const read = definitions.filter((one) => !isPatch(one)).map((one) => readCrd(one, options.whyRefused));
  const valid = read.filter((one) => "crd" in one);
  const { first, twice } = withoutTwins(valid);
  const complete = first.slice(0, MAX_CRDS).map(kustomizing(patches, options.kustomizations ?? []));
  const waived = complete.map(withCheckedWaivers);
  const crds = waived.map(({ one }) => one);
  const { release } = options;
  return {
    definitions: crds.map(({ crd }) => crd),
    crds: crds.map((crd): ReportedCrd => reportedCrd(crd, options)),
    findings: judgeCrds(crds, {
      ...options,
      aggregated: aggregatedIn(documents.map(({ value }) => value)),
      release:
        release &&
        releaseAround(
          release,
          crds.map(({ crd }) => crd),
        ),
    }),
    problems: [
      ...read.filter((one) => "message" in one),
      ...twice,
      ...tooMany(first),
      ...strayPatches(patches, first),
      ...waived.flatMap(({ problem }) => problem ?? []),
    ],
  };
}

/** The most CRDs below one PATH. A provider has up to 60, and each is judged by about 50 rules. */
const MAX_CRDS = 1_000;

function tooMany(crds: readonly PlacedCrd[]): readonly InputProblem[] {
  const next = crds[MAX_CRDS];
  if (next === undefined) return [];
  const { file, line, object } = next.place;
  return [
    {
      file: file ?? object,
      line,
      message: `ends the judging: more than ${MAX_CRDS} CustomResourceDefinitions; name fewer files`,
    },
  ];
}

/** The first CRD of each name; the others are problems. */
function withoutTwins(crds: readonly PlacedCrd[]): {
  readonly first: readonly PlacedCrd[];
  readonly twice: readonly InputProblem[];
} {
  const places = new Map<string, PlacedCrd>();
  const twice: InputProblem[] = [];
  for (const one of crds) {
    const { name } = one.crd.metadata;
    const former = places.get(name);
    if (former === undefined) places.set(name, one);
    else {
      const { file, line } = former.place;
      twice.push({
        file: one.place.file ?? name,
        line: one.place.line,
        message: `${name} is given twice, first in ${file}:${line}; name it once`,
      });
    }
  }
  return { first: [...places.values()], twice };
}

const KNOWN_RULES = new Set(ALL_RULES.map(({ id }) => id));

/**
 * A rule that only another artefact decides is `unknown` for a CRD or a release unless the same inputs decided it.
 * Findings of objects stay.
 */
export function decided(findings: readonly Finding[], ofObjects: readonly Finding[]): readonly Finding[] {
  const known = new Set(
    [...findings, ...ofObjects].filter(({ verdict }) => verdict !== "unknown").map(({ rule }) => rule),
  );
  const left = findings.filter(({ rule, verdict, artefact }) => {
    return verdict !== "unknown" || artefact === "A1" || !known.has(rule);
  });
  return [...left, ...ofObjects];
}

function merged(
  outcomes: readonly Partial<Outcome>[],
  objects: Pick<Outcome, "findings" | "problems">,
): Outcome {
  return {
    crds: outcomes.flatMap(({ crds = [] }) => crds),
    findings: decided(
      outcomes.flatMap(({ findings = [] }) => findings),
      objects.findings,
    ),
    problems: withoutRepeats([...outcomes.flatMap(({ problems = [] }) => problems), ...objects.problems]),
    rules: ALL_RULES,
  };
}

/** Rules on a release and on its CRDs find the same problem of an annotation. */
function withoutRepeats(problems: readonly InputProblem[]): readonly InputProblem[] {
  return [...new Map(problems.map((one) => [`${one.file}:${one.line}:${one.message}`, one])).values()];
}
