import type { ContractVersion } from "../../../shared/api/kinds.ts";
import {
  type Judgement,
  levelOf,
  na,
  type Place,
  type Rule,
  type Verdict,
} from "../../../shared/contract/rules/rule.ts";
import { truncate } from "../../../shared/rules/conditions/truncate.ts";
import type { Finding } from "./finding.ts";
import { reasonFor, type Waivers } from "./waivers.ts";

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
