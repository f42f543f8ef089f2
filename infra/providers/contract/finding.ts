import type { ContractVersion } from "../../../shared/api/kinds.ts";
import type { Artefact, Level, RuleText, Verdict } from "../../../shared/contract/rules/rule.ts";

/** The version of Cluster API whose behaviour rules and findings describe. */
export const CORE_VERSION = "v1.14.2";

/** Returns the address of a rule's source: a page, or a file of that version. */
export function linkTo(source: string): string {
  if (source.startsWith("https://")) return source;
  return `https://github.com/kubernetes-sigs/cluster-api/blob/${CORE_VERSION}/${source}`;
}

/** One judgement of one rule, with everything that a report says of it. */
export interface Finding {
  readonly rule: string;
  readonly level: Level;
  readonly verdict: Verdict;
  /** Reason of the waiver: the finding does not count for the exit status. */
  readonly waived?: string | undefined;
  readonly artefact: Artefact;
  /** The version it was judged under; absent for rules that are the same under each. */
  readonly contract?: ContractVersion | undefined;
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly object: string;
  readonly path?: string | undefined;
  readonly found?: string | undefined;
  readonly expected?: string | undefined;
  readonly effect: string;
  readonly source: string;
}

/** A CRD as the report lists it. */
export interface ReportedCrd {
  readonly name: string;
  readonly kind: string;
  /** `InfraMachinePool`, `InfraMachinePoolTemplate`, …; null: core never reads such objects. */
  readonly contractKind: string | null;
  /** Newest contract that its labels claim. */
  readonly contract: ContractVersion | null;
  /** The version of the CRD that core reads. */
  readonly version: string | null;
}

/** Results of judging inputs, before they are a report. */
export interface Outcome {
  readonly crds: readonly ReportedCrd[];
  readonly findings: readonly Finding[];
  /** Inputs that could not be read; each makes the exit status 2. */
  readonly problems: readonly InputProblem[];
  /** Texts of the rules that findings name, for reports that describe them. */
  readonly rules: readonly RuleText[];
  /** The name of what was judged, where it is not the CRDs: `the life of 5 objects`. */
  readonly judged?: string | undefined;
}

/** An input that cannot be read or parsed. */
export interface InputProblem {
  readonly file: string;
  readonly line?: number | undefined;
  /** Condition, cause, action; without file and line. */
  readonly message: string;
}
