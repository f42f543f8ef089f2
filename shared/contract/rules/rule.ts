import type { ContractVersion } from "../../api/kinds.ts";

/** How binding a rule is: a broken MUST is a `fail`, a broken SHOULD a `warn`, a MAY is judged only where it is used. */
export type Level = "MUST" | "SHOULD" | "MAY";

/**
 * `na`: the precondition of the rule does not hold. `unknown`: what was given does not decide it. Both say why in
 * `found`.
 */
export type Verdict = "pass" | "fail" | "warn" | "na" | "unknown";

/**
 * The things that rules judge: A1 a CRD, A2 a release, A3 an object with those around it, A4 a running provider, MOVE a
 * Cluster between two management clusters. `A1+A2` needs both, `A3/A4` one of them.
 */
export type Artefact = "A1" | "A2" | "A1+A2" | "A3" | "A4" | "A3/A4" | "A2/A4" | "MOVE";

/** Where a judged object stands. */
export interface Place {
  /** `Kind namespace/name`, `Kind name` where it has no namespace, or a file of a release. */
  readonly object: string;
  /** The file as it was named on the command line; absent for objects of a server. */
  readonly file?: string | undefined;
  /** First line of the document, from 1. */
  readonly line?: number | undefined;
  /** The line of a path in the object, for findings that count. */
  readonly lineAt?: ((path: string) => number) | undefined;
  /** Value of the object's `WAIVE_ANNOTATION`. */
  readonly waive?: string | undefined;
}

/** Result of one rule for one thing. No text in it may hold a value of a Secret. */
export interface Judgement {
  readonly verdict: Verdict;
  /** JSON path in the object: `spec.scope`, `metadata.labels[cluster.x-k8s.io/v1beta1]`. */
  readonly path?: string | undefined;
  readonly found?: string | undefined;
  readonly expected?: string | undefined;
  /** Only where the consequence differs from the rule's own `effect`. */
  readonly effect?: string | undefined;
  /** The object that it is about, where the judged thing has several. */
  readonly at?: Place | undefined;
}

/** A rule as `capstan contract list` and the reference page show it. */
export interface RuleText {
  /** `IMP-13`; unique. */
  readonly id: string;
  /** One for each contract version where it depends on it. */
  readonly level: Level | { readonly [version in ContractVersion]: Level };
  /** Contract versions that it is judged under. */
  readonly contracts: readonly ContractVersion[];
  /** Decides the rule; `check` gets it. */
  readonly artefact: Artefact;
  /** The requirement, as one sentence without a full stop. */
  readonly sentence: string;
  /** Reaction of core or clusterctl where it is broken, as one sentence without a full stop. */
  readonly effect: string;
  /** Path in kubernetes-sigs/cluster-api v1.14.0, or an address. */
  readonly source: string;
}

export interface Rule<Subject> extends RuleText {
  /** Pure. At least one judgement: a rule never passes in silence. */
  readonly check: (subject: Subject) => readonly Judgement[];
}

export const EVERY_CONTRACT: readonly ContractVersion[] = ["v1beta1", "v1beta2"];

export function levelOf({ level }: Pick<RuleText, "level">, contract: ContractVersion): Level {
  return typeof level === "string" ? level : level[contract];
}

type Details = Omit<Judgement, "verdict">;

export function pass(details: Details = {}): Judgement {
  return { verdict: "pass", ...details };
}

export function fail(details: Details): Judgement {
  return { verdict: "fail", ...details };
}

export function warn(details: Details): Judgement {
  return { verdict: "warn", ...details };
}

/** `why` names the precondition: "the kind is a template". */
export function na(why: string, details: Omit<Details, "found"> = {}): Judgement {
  return { verdict: "na", found: why, ...details };
}

/** `why` names what would decide it: "needs the release (A2)". */
export function unknown(why: string, details: Omit<Details, "found"> = {}): Judgement {
  return { verdict: "unknown", found: why, ...details };
}

/** The findings, or a pass where nothing was found. */
export function orPass(found: readonly Judgement[], at?: Place): readonly Judgement[] {
  return found.length > 0 ? found : [pass({ at })];
}

/** A value as a judgement shows it: JSON of at most 200 characters, `absent` where it is missing. */
export function shown(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value).slice(0, 200);
}

/** Texts of rules that are the same under both contracts. */
export function textsOf(
  rows: readonly (Omit<RuleText, "contracts"> & Partial<RuleText>)[],
): readonly RuleText[] {
  return rows.map((row) => ({ contracts: EVERY_CONTRACT, ...row }));
}
