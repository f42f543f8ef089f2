import { type EvictionAnswer, NOT_REACHED } from "../../../shared/function/evictions.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { listNames } from "../../../shared/rules/conditions/list-names.ts";
import { truncate } from "../../../shared/rules/conditions/truncate.ts";
import { type DrainPlan, podName } from "./drain-plan.ts";

/** Pods of one line. */
const MAX_NAMES = 3;
/** Different refusals. */
const MAX_TEXTS = 5;
/** A webhook of the workload cluster may write anything. */
const MAX_TEXT = 1_000;
const MAX_CAUSES = 10;

const BUDGET = "cannot evict pod as it would violate the pod's disruption budget.";
const TERMINATING =
  "Cannot evict pod from terminating namespace: unable to create eviction (kube-controller-manager should set deletionTimestamp)";

/** Answers to the evictions of a plan; undefined while none has been asked for. */
type Answers = readonly EvictionAnswer[] | undefined;

/**
 * The message of `DrainingNode`: Pods by what keeps them, in the phrases of Cluster API, which other programs parse.
 */
export function drainMessage(plan: DrainPlan, answers: Answers, startedAt: string): string {
  const { accepted, refused, unasked } = judged(plan, answers);
  const deleting = [...plan.deleting.map(podName), ...accepted].sort(compareText);
  return [
    `Drain not completed yet (started at ${startedAt}):`,
    ...line(deleting, "deletionTimestamp set, but still not removed from the Node"),
    ...line(unasked, "eviction not requested yet"),
    ...refusals(refused),
    ...line(plan.waitNow.map(podName), "waiting for completion"),
    ...later("the following Pods will be evicted", plan.evictLater.map(podName)),
    ...later("waiting for the following Pods to complete without eviction", plan.waitLater.map(podName)),
  ].join("\n");
}

/** Whether the last Pods of a plan have turned out to be gone. */
export function hasDrained(plan: DrainPlan, answers: readonly EvictionAnswer[]): boolean {
  const others = [plan.deleting, plan.evictLater, plan.waitNow, plan.waitLater];
  const isLast = others.every(({ length }) => length === 0) && answers.length === plan.evictNow.length;
  return isLast && answers.every(({ type }) => type === "gone");
}

interface Refused {
  readonly name: string;
  readonly text: string;
}

function judged(plan: DrainPlan, answers: Answers) {
  const names = plan.evictNow.map(podName);
  if (answers === undefined) return { accepted: [], refused: [], unasked: names };
  const byName = new Map(answers.map((answer) => [nameOf(answer), answer]));
  return {
    accepted: names.filter((name) => byName.get(name)?.type === "accepted"),
    refused: names.flatMap((name) => refusalOf(name, byName.get(name))),
    unasked: [],
  };
}

function nameOf({ target }: EvictionAnswer): string {
  return `${target.namespace}/${target.name}`;
}

/** A Pod without an answer was beyond the evictions of one run. */
function refusalOf(name: string, answer: EvictionAnswer | undefined): readonly Refused[] {
  if (answer === undefined) return [{ name, text: `failed to evict Pod, ${NOT_REACHED}` }];
  return answer.type === "refused" ? [{ name, text: refusalText(answer) }] : [];
}

function refusalText({ message, causes }: EvictionAnswer & { readonly type: "refused" }): string {
  const isBecause = (reason: string) => causes.some((cause) => cause.reason === reason);
  if (isBecause("DisruptionBudget")) {
    const why = causes.slice(0, MAX_CAUSES).map((cause) => (cause.message ?? "").slice(0, MAX_TEXT));
    return oneLine(`${BUDGET} ${why.filter((text) => text !== "").join(",")}`);
  }
  return oneLine(`failed to evict Pod, ${isBecause("NamespaceTerminating") ? TERMINATING : message}`);
}

function oneLine(text: string): string {
  return truncate(
    text
      .slice(0, 2 * MAX_TEXT)
      .replaceAll(/[\s\p{Cc}]+/gu, " ")
      .trim(),
    MAX_TEXT,
  );
}

/** Groups by text; budgets come first, and beyond five texts only their number. */
function refusals(refused: readonly Refused[]): readonly string[] {
  const byText = [...Map.groupBy(refused, ({ text }) => text)].sort(
    ([a], [b]) => Number(b.startsWith(BUDGET)) - Number(a.startsWith(BUDGET)) || compareText(a, b),
  );
  const others = byText.slice(MAX_TEXTS).reduce((sum, [, pods]) => sum + pods.length, 0);
  return [
    ...byText.slice(0, MAX_TEXTS).flatMap(([text, pods]) =>
      line(
        pods.map(({ name }) => name),
        text,
      ),
    ),
    ...(others === 0 ? [] : [`* ${others} ${others === 1 ? "Pod" : "Pods"} with other issues`]),
  ];
}

function line(names: readonly string[], text: string): readonly string[] {
  if (names.length === 0) return [];
  return [`* ${names.length === 1 ? "Pod" : "Pods"} ${listNames(names, MAX_NAMES)}: ${text}`];
}

function later(text: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [`After above Pods have been removed from the Node, ${text}: ${listNames(names, MAX_NAMES)}`];
}
