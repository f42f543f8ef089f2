import { compareText } from "./conditions.ts";
import { listNames } from "./list-names.ts";

/** Report of one object on one condition; `condition` undefined: it does not report it. */
export interface Reporter {
  readonly kind: string;
  readonly name: string;
  /** A control plane Machine: its messages come first. */
  readonly controlPlane?: boolean | undefined;
  readonly condition:
    | { readonly status: string; readonly reason?: string | undefined; readonly message?: string | undefined }
    | undefined;
}

export interface Aggregation {
  /** The condition type that the objects report. */
  readonly source: string;
  /** `negative`: True is the issue (`ScalingUp`, `RollingOut`). */
  readonly polarity: "positive" | "negative";
  readonly reasons: { readonly issue: string; readonly unknown: string; readonly good: string };
}

/** Summary of many conditions; `condition` makes it one under a type. */
export interface MergedCondition {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export type Weight = "issue" | "unknown" | "good";

const MAX_MESSAGES = 3;
const MAX_NAMES = 3;

/** Returns how much a condition of this status matters: an issue wins over unknown, unknown over good. */
export function weightOf(status: string, polarity: Aggregation["polarity"]): Weight {
  if (status !== "True" && status !== "False") return "unknown";
  return (status === "True") === (polarity === "positive") ? "good" : "issue";
}

/** The status that a merged condition of this polarity has when `worst` is the worst part of it. */
export function statusOf(worst: Weight, polarity: Aggregation["polarity"]): MergedCondition["status"] {
  if (worst === "unknown") return "Unknown";
  return (worst === "good") === (polarity === "positive") ? "True" : "False";
}

/** A message behind `* <who>:`; more than one line, or a list, is indented below it. */
export function afterColon(message: string): string {
  if (!message.includes("\n") && !message.startsWith("* ")) return ` ${message}`;
  return `\n${message
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n")}`;
}

interface Line {
  readonly kind: string;
  readonly text: string;
  readonly weight: Weight;
  readonly controlPlane: boolean;
  readonly names: readonly string[];
}

/**
 * One condition out of the same condition of many objects: issues win over unknown, unknown over good. At most three
 * distinct messages in total, kinds in alphabetical order; within a kind those of control plane Machines first, then
 * issues before unknown, then by number of objects. Messages of good objects are shown only when nothing is worse.
 * An object that does not report the condition counts as unknown; leave it out where it need not report it.
 */
export function aggregate(rule: Aggregation, reporters: readonly Reporter[]): MergedCondition {
  const parts = reporters.map((reporter) => partOf(rule, reporter));
  const worst = worstOf(parts.map((part) => part.weight));
  const shown = parts.filter((part) => (worst === "good" ? part.text !== "" : part.weight !== "good"));
  return {
    status: statusOf(worst, rule.polarity),
    reason: rule.reasons[worst],
    message: messageOf(shown),
  };
}

export function worstOf(weights: readonly Weight[]): Weight {
  if (weights.includes("issue")) return "issue";
  return weights.includes("unknown") ? "unknown" : "good";
}

function partOf(rule: Aggregation, reporter: Reporter): Line {
  const { condition } = reporter;
  const weight = condition === undefined ? "unknown" : weightOf(condition.status, rule.polarity);
  const reported =
    condition === undefined ? `Condition ${rule.source} not yet reported` : (condition.message ?? "");
  return {
    kind: reporter.kind,
    text: reported === "" && weight !== "good" ? (condition?.reason ?? "") : reported,
    weight,
    controlPlane: reporter.controlPlane === true,
    names: [reporter.name],
  };
}

const RANK: { readonly [W in Weight]: number } = { issue: 0, unknown: 1, good: 2 };
const LEFT_OUT = [
  ["issue", "other issues"],
  ["unknown", "status unknown"],
  ["good", "additional info"],
] as const;

function messageOf(parts: readonly Line[]): string {
  const messages: string[] = [];
  let room = MAX_MESSAGES;
  for (const kind of [...new Set(parts.map((part) => part.kind))].sort(compareText)) {
    const lines = linesOf(parts.filter((part) => part.kind === kind));
    const shown = lines.slice(0, room);
    room -= shown.length;
    messages.push(...shown.map(lineText));
    const left = lines.slice(shown.length);
    for (const [weight, text] of LEFT_OUT) {
      const count = left
        .filter((line) => line.weight === weight)
        .reduce((sum, line) => sum + line.names.length, 0);
      if (count > 0) messages.push(`And ${count} ${count === 1 ? kind : pluralOf(kind)} with ${text}`);
    }
  }
  return messages.join("\n");
}

/** One line per distinct message of a kind; the worst weight of those who say it decides its place. */
function linesOf(parts: readonly Line[]): readonly Line[] {
  const byText = Map.groupBy(parts, (part) => part.text);
  return [...byText.values()].flatMap((said) => merged(said)).sort(compareLines);
}

function merged(said: readonly Line[]): readonly Line[] {
  const [first] = said;
  if (first === undefined) return [];
  const ordered = [...said].sort(
    (a, b) => Number(b.controlPlane) - Number(a.controlPlane) || compareText(a.names.join(), b.names.join()),
  );
  return [
    {
      ...first,
      weight: worstOf(said.map((part) => part.weight)),
      controlPlane: said.some((part) => part.controlPlane),
      names: ordered.flatMap((part) => part.names),
    },
  ];
}

function compareLines(a: Line, b: Line): number {
  return (
    Number(b.controlPlane) - Number(a.controlPlane) ||
    RANK[a.weight] - RANK[b.weight] ||
    b.names.length - a.names.length ||
    compareText(a.names.join(), b.names.join())
  );
}

function lineText({ kind, names, text }: Line): string {
  return `* ${names.length === 1 ? kind : pluralOf(kind)} ${listNames(names, MAX_NAMES)}:${afterColon(text)}`;
}

function pluralOf(kind: string): string {
  return `${kind}s`;
}
