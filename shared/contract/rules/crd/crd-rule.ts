import { EVERY_CONTRACT, type Judgement, na, type Rule } from "../rule.ts";
import type { CrdSubject, SchemaNode } from "./subject.ts";

/** A rule on a CRD. */
export interface CrdRule extends Rule<CrdSubject> {
  /** Judged on CRDs of the kind, of its template, or on both. */
  readonly on: "kind" | "template" | "both";
}

export type Check = CrdRule["check"];
type Draft = Omit<CrdRule, "contracts" | "artefact" | "on"> & Partial<CrdRule>;

/** Completes a rule: under both contracts, on the CRD of the kind itself, decided by the CRD. */
export function crdRule(draft: Draft): CrdRule {
  return { contracts: EVERY_CONTRACT, artefact: "A1", on: "kind", ...draft };
}

/** Pages of the provider contracts. */
export function book(page: string): string {
  return `https://cluster-api.sigs.k8s.io/developer/providers/contracts/${page}`;
}

/** Judges by the contract version of the pass. */
export function byContract(checks: { readonly v1beta2: Check; readonly v1beta1: Check }): Check {
  return (subject) => checks[subject.contract](subject);
}

/** Judges by each check in turn. */
export function allOf(...checks: readonly Check[]): Check {
  return (subject) => checks.flatMap((check) => check(subject));
}

interface Root {
  readonly node: SchemaNode;
  readonly path: string;
}

/** Judges the schema of the version that core reads; `na` where the CRD lacks it, which another rule says. */
export function onSchema(check: (root: Root, subject: CrdSubject) => readonly Judgement[]): Check {
  return (subject) => {
    const { name, version } = subject.picked;
    if (version === undefined) return [na(`the CRD has no version ${name}`)];
    if (version.schema === undefined) return [na(`version ${name} has no schema`)];
    return check({ node: version.schema, path: `${versionPath(name)}.schema.openAPIV3Schema` }, subject);
  };
}

export function versionPath(name: string): string {
  return `spec.versions[${name}]`;
}
