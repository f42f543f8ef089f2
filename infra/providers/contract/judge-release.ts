import type { ContractVersion } from "../../../shared/api/kinds.ts";
import { RELEASE_RULES } from "../../../shared/contract/rules/release/rules.ts";
import { ownSeries } from "../../../shared/contract/rules/release/series.ts";
import type { Release } from "../../../shared/contract/rules/release/subject.ts";
import type { Judgement, Rule } from "../../../shared/contract/rules/rule.ts";
import { type ReleaseName, ReleaseReadError, readRelease } from "../clusterctl/release/read-release.ts";
import { ValueError, type Values } from "../clusterctl/render/values.ts";
import type { InputDocument } from "./documents.ts";
import type { Finding, InputProblem } from "./finding.ts";
import { judge } from "./judge.ts";
import { type Waivers, waiverProblem } from "./waivers.ts";

interface ReleaseOptions {
  readonly values: Values;
  /** The name of the release; absent where it follows from the names of its folders. */
  readonly named?: ReleaseName | undefined;
  readonly waivers: Waivers;
  /** Ids that a waiver may name. */
  readonly knownRules: ReadonlySet<string>;
}

/** A release and everything that its rules say. */
export interface JudgedRelease {
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
