import { CONTRACT_KINDS } from "./crd/contract-kinds.ts";
import { CRD_RULES } from "./crd/rules.ts";
import { MOVE_RULES } from "./move/rules.ts";
import { OBJECT_RULES } from "./objects/rules.ts";
import { PROBE_RULES } from "./probe/rules.ts";
import { RELEASE_RULES } from "./release/rules.ts";
import type { RuleText } from "./rule.ts";

/** Prefixes in the order of the reference page, with the headings there. */
export const RULE_GROUPS: readonly { readonly prefix: string; readonly title: string }[] = [
  { prefix: "IMP", title: "Machine pools of an infrastructure provider" },
  { prefix: "CP", title: "Control planes" },
  { prefix: "IC", title: "Clusters of an infrastructure provider" },
  { prefix: "IM", title: "Machines of an infrastructure provider" },
  { prefix: "BC", title: "Bootstrap configs" },
  { prefix: "IP", title: "Pools of addresses" },
  { prefix: "CRD", title: "Kinds of no contract" },
  { prefix: "CTL", title: "Releases for clusterctl" },
  { prefix: "MV", title: "Moves to another management cluster" },
];

/** Every rule, by group and number. */
export const ALL_RULES: readonly RuleText[] = RULE_GROUPS.flatMap(({ prefix }) =>
  [...CRD_RULES, ...OBJECT_RULES, ...PROBE_RULES, ...RELEASE_RULES, ...MOVE_RULES]
    .filter(({ id }) => prefixOf(id) === prefix)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
);

/** Returns `IMP` of `IMP-13`. */
export function prefixOf(id: string): string {
  return id.slice(0, id.indexOf("-"));
}

/** The rules that a CRD cannot decide, by the contract of its kind. */
export function undecidedByCrd(contract: keyof typeof CONTRACT_KINDS): readonly RuleText[] {
  const { prefix } = CONTRACT_KINDS[contract];
  return [...OBJECT_RULES, ...PROBE_RULES].filter(({ id }) => prefixOf(id) === prefix);
}
