import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineDrainRule } from "../../../shared/api/machine/machine-drain-rule.ts";
import type { LabelSelector } from "../../../shared/api/meta.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { truncate } from "../../../shared/rules/conditions/truncate.ts";
import { parseSelector } from "../../../shared/rules/metadata/label-selector.ts";

/** The fields of a MachineDrainRule that the drain reads. */
export const RULE_FIELDS = ["spec"] as const;

/** Rules of one namespace: more are a mistake, and take time that other Machines need. */
export const MAX_RULES = 1_000;
/** Selectors, keys and values of all rules together: they are read in one piece, some 50 ms at most. */
const MAX_SELECTOR_PARTS = 5_000;
/** Requirements that are held against labels in one run: some 50 ms at most. */
const MAX_COMPARISONS = 200_000;

/** The drain cannot continue: a guess could evict what a rule protects. */
export interface Blocked {
  readonly problem: string;
}

export function isBlocked<T extends object>(value: T | Blocked): value is Blocked {
  return "problem" in value;
}

export type DrainBehaviour =
  | { readonly type: "evict"; readonly order: number }
  | { readonly type: "wait"; readonly order: 0 }
  | { readonly type: "skip" };

/** The rules of one Machine, by name. */
export interface PodRules {
  /** Returns the behaviour of the first rule for a Pod; undefined when no rule is for it. */
  behaviourOf(pod: KubeObject, namespace: KubeObject): DrainBehaviour | Blocked | undefined;
}

type Labels = KubeObject["metadata"]["labels"];
type Test = (labels: Labels) => boolean;

/**
 * Returns those rules of the Machine's namespace that are for it. A rule with an invalid selector blocks the drain, if
 * its `pods` are invalid only that of the Machines it is for; so does an unknown behaviour.
 * Differs: upstream names neither the rule nor the selector.
 */
export function rulesOf(
  rules: readonly MachineDrainRule[],
  { machine, cluster }: { readonly machine: Machine; readonly cluster: Cluster | undefined },
): PodRules | Blocked {
  const sorted = rules.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  if (partsOf(sorted) > MAX_SELECTOR_PARTS) {
    return {
      problem: `the MachineDrainRules of the namespace have more than ${MAX_SELECTOR_PARTS} selectors, keys and values; delete some`,
    };
  }
  const budget = { left: MAX_COMPARISONS };
  const own: OwnRule[] = [];
  for (const rule of sorted) {
    const selects = entriesOf(rule, "machines", "selector", "clusterSelector", budget);
    if (isBlocked(selects)) return selects;
    if (!selects.matches(machine.metadata.labels, cluster?.metadata.labels)) continue;
    const pods = entriesOf(rule, "pods", "selector", "namespaceSelector", budget);
    if (isBlocked(pods)) return pods;
    const behaviour = behaviourOf(rule);
    if (isBlocked(behaviour)) return behaviour;
    own.push({ behaviour, matches: pods.matches });
  }
  return {
    behaviourOf(pod, namespace) {
      const found = own.find(({ matches }) => matches(pod.metadata.labels, namespace.metadata.labels));
      return budget.left < 0
        ? {
            problem: `the MachineDrainRules of the namespace take more than ${MAX_COMPARISONS} comparisons of labels; delete some, or shorten their selectors`,
          }
        : found?.behaviour;
    },
  };
}

interface OwnRule {
  readonly behaviour: DrainBehaviour;
  readonly matches: Entries["matches"];
}

interface Entries {
  /** Own labels, and those of the Cluster or Namespace. */
  readonly matches: (own: Labels, around: Labels) => boolean;
}

/** The entries of `spec.machines` or `spec.pods`, of which one must fit; without any, all objects do. */
function entriesOf(
  rule: MachineDrainRule,
  field: "machines" | "pods",
  ...[own, around, budget]: readonly [string, string, { left: number }]
): Entries | Blocked {
  const entries = rule.spec[field];
  if (entries === undefined || entries.length === 0) return { matches: () => true };
  const tests: { readonly own: Test; readonly around: Test }[] = [];
  for (const [at, entry] of entries.entries()) {
    const [first, second] = [own, around].map((name) => {
      const selector: LabelSelector | undefined = Reflect.get(entry, name);
      return testOf(selector, `${describeRule(rule)}: spec.${field}[${at}].${name}`, budget);
    });
    for (const test of [first, second]) if (test !== undefined && isBlocked(test)) return test;
    tests.push({ own: first as Test, around: second as Test });
  }
  return {
    matches: (ownLabels, aroundLabels) =>
      tests.some((test) => test.own(ownLabels) && test.around(aroundLabels)),
  };
}

function testOf(selector: LabelSelector | undefined, path: string, budget: { left: number }): Test | Blocked {
  if (selector === undefined) return () => true;
  const parsed = parseSelector(selector);
  if ("problem" in parsed) return { problem: `${path}.${parsed.problem}` };
  const requirements =
    Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length;
  return (labels) => {
    budget.left -= Math.max(1, requirements);
    // The run ends before it decides by this answer.
    return budget.left >= 0 && parsed.matches(labels);
  };
}

function behaviourOf(rule: MachineDrainRule): DrainBehaviour | Blocked {
  const { behavior, order = 0 } = rule.spec.drain;
  switch (behavior) {
    case "Drain":
      return { type: "evict", order };
    case "Skip":
      return { type: "skip" };
    case "WaitCompleted":
      return { type: "wait", order: 0 };
    default:
      return unknown(rule, behavior);
  }
}

/** A newer Cluster API may know more of them. */
function unknown(rule: MachineDrainRule, behavior: never): Blocked {
  const text = truncate(String(behavior), 80);
  return {
    problem: `${describeRule(rule)}: spec.drain.behavior is ${text}; write Drain, Skip or WaitCompleted`,
  };
}

function describeRule({ metadata }: MachineDrainRule): string {
  return `MachineDrainRule ${metadata.namespace ?? ""}/${metadata.name}`;
}

function partsOf(rules: readonly MachineDrainRule[]): number {
  return rules
    .flatMap(({ spec }) => [...(spec.machines ?? []), ...(spec.pods ?? [])])
    .flatMap((entry) => Object.values(entry).filter((selector) => selector !== undefined))
    .reduce((sum, selector) => sum + sizeOf(selector), 0);
}

function sizeOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector): number {
  const values = matchExpressions.reduce((sum, { values: listed = [] }) => sum + 1 + listed.length, 0);
  return 1 + Object.keys(matchLabels).length + values;
}
