import type { ContractVersion } from "../../../shared/api/kinds.ts";
import { RELEASE_RULES } from "../../../shared/contract/rules/release/rules.ts";
import { ownSeries } from "../../../shared/contract/rules/release/series.ts";
import type { Release } from "../../../shared/contract/rules/release/subject.ts";
import {
  type Judgement,
  levelOf,
  na,
  type Place,
  type Rule,
  type Verdict,
} from "../../../shared/contract/rules/rule.ts";
import { truncate } from "../../../shared/rules/conditions/truncate.ts";
import { type ReleaseName, ReleaseReadError, readRelease } from "../clusterctl/release/read-release.ts";
import { ValueError, type Values } from "../clusterctl/render/typed.ts";
import type { Finding, InputProblem } from "./finding.ts";
import type { InputDocument } from "./read-crd.ts";
import { reasonFor, type Waivers, waiverProblem } from "./waivers.ts";

/** One thing that rules are applied to. */
export interface Case<Subject> {
  readonly subject: Subject;
  readonly place: Place;
  /** The contract version it is judged under. */
  readonly contract: ContractVersion;
}

/** Applies each rule to each case; the findings keep the order of both. A rule of another contract version is `na`. */
export function judge<Subject>(
  rules: readonly Rule<Subject>[],
  cases: readonly Case<Subject>[],
  waivers: Waivers,
): readonly Finding[] {
  return cases.flatMap((one) =>
    rules.flatMap((rule) =>
      judgementsOf(rule, one).map((judgement) => toFinding(judgement, { rule, one, waivers })),
    ),
  );
}

function judgementsOf<Subject>(
  { contracts, check }: Rule<Subject>,
  { subject, contract }: Case<Subject>,
): readonly Judgement[] {
  if (contracts.includes(contract)) return bounded(check(subject));
  return [na(`the contract ${contract} does not ask for it`)];
}

/** The most judgements of one rule on one thing; a report names the first and counts the others. */
const MAX_JUDGEMENTS = 2_000;
const WORST: readonly Verdict[] = ["fail", "warn", "unknown", "na", "pass"];

function bounded(judgements: readonly Judgement[]): readonly Judgement[] {
  if (judgements.length <= MAX_JUDGEMENTS) return judgements;
  const others = new Set(judgements.slice(MAX_JUDGEMENTS).map(({ verdict }) => verdict));
  const verdict = WORST.find((each) => others.has(each)) ?? "pass";
  const found = `${judgements.length - MAX_JUDGEMENTS} more`;
  return [...judgements.slice(0, MAX_JUDGEMENTS), { verdict, found }];
}

interface Judged {
  readonly rule: Rule<never>;
  readonly one: Case<unknown>;
  readonly waivers: Waivers;
}

function toFinding(judgement: Judgement, { rule, one, waivers }: Judged): Finding {
  const { verdict, at = one.place, path, found, expected, effect = rule.effect } = judgement;
  const counts = verdict === "fail" || verdict === "warn";
  return {
    rule: rule.id,
    level: levelOf(rule, one.contract),
    verdict,
    waived: counts ? reasonFor(waivers, rule.id, at) : undefined,
    artefact: rule.artefact,
    contract: one.contract,
    file: at.file,
    line: counts && path !== undefined ? (at.lineAt?.(path) ?? at.line) : at.line,
    object: at.object,
    path,
    found: short(found),
    expected: short(expected),
    effect,
    source: rule.source,
  };
}

/** A finding quotes what stands in an input, which may be of any length. */
const MAX_TEXT = 1_000;

function short(text: string | undefined): string | undefined {
  return text === undefined ? undefined : truncate(text, MAX_TEXT);
}

interface ReleaseOptions {
  readonly values: Values;
  /** The name of the release; absent where it follows from the names of its folders. */
  readonly named?: ReleaseName | undefined;
  readonly waivers: Waivers;
  /** Ids that a waiver may name. */
  readonly knownRules: ReadonlySet<string>;
}

/** A release and everything that its rules say. */
interface JudgedRelease {
  readonly release: Release;
  readonly findings: readonly Finding[];
  readonly problems: readonly InputProblem[];
  /** Objects of its components with values of variables: the CRDs among them have rules of their own. */
  readonly documents: readonly InputDocument[];
}

/** Reads a folder as a release and judges it by the rules on releases. A folder that cannot be read is a problem. */
export async function judgeRelease(
  folder: string,
  options: ReleaseOptions,
): Promise<JudgedRelease | InputProblem> {
  try {
    return judged(await readRelease(folder, options.values, options.named), options);
  } catch (error) {
    if (error instanceof ValueError) return { file: folder, message: error.message };
    if (!(error instanceof ReleaseReadError)) throw error;
    const { file, line, message } = error;
    return { file, line, message };
  }
}

function judged(release: Release, { waivers, knownRules }: ReleaseOptions): JudgedRelease {
  const { label, version, folder, components } = release;
  const problems = new Map<string, InputProblem>();
  const rules = RELEASE_RULES.map((rule): Rule<Release> => {
    const check = (subject: Release) =>
      rule.check(subject).map((one) => withoutBrokenWaivers(one, { knownRules, problems }));
    return { ...rule, check };
  });
  const one = {
    subject: release,
    place: { object: `${label}/${version}`, file: folder },
    contract: contractOf(release),
  };
  const findings = judge(rules, [one], waivers);
  return {
    release,
    findings,
    problems: [...problems.values()],
    documents: components?.documents.map((document) => ({ ...document, file: components.file })) ?? [],
  };
}

/** The rules are the same under each contract. */
function contractOf(release: Release): ContractVersion {
  return ownSeries(release)?.contract === "v1beta1" ? "v1beta1" : "v1beta2";
}

interface BrokenWaivers {
  readonly knownRules: ReadonlySet<string>;
  /** One for each place. */
  readonly problems: Map<string, InputProblem>;
}

/** An annotation that cannot be read waives nothing, and is a problem. */
function withoutBrokenWaivers(judgement: Judgement, { knownRules, problems }: BrokenWaivers): Judgement {
  const { at } = judgement;
  const message = at === undefined ? undefined : waiverProblem(at, knownRules);
  if (at === undefined || message === undefined) return judgement;
  const { file = at.object, line } = at;
  problems.set(`${file}:${line}:${at.object}`, { file, line, message });
  return { ...judgement, at: { ...at, waive: undefined } };
}
