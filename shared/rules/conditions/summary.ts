import { afterColon, type MergedCondition, statusOf, type Weight, worstOf } from "./aggregate.ts";

/** One condition of an object as a part of a summary; an empty text adds no line. */
export interface SummaryPart {
  readonly type: string;
  readonly weight: Weight;
  readonly text: string;
}

/**
 * One condition of positive polarity out of several of the same object: issues win over unknown, unknown over good. One
 * line per part that is not good, issues first; texts of good parts are shown only when all are good.
 */
export function summaryOf(
  parts: readonly SummaryPart[],
  reasons: { readonly [Worst in Weight]: string },
): MergedCondition {
  const worst = worstOf(parts.map(({ weight }) => weight));
  const shown =
    worst === "good"
      ? parts.filter(({ text }) => text !== "")
      : [
          ...parts.filter(({ weight }) => weight === "issue"),
          ...parts.filter(({ weight }) => weight === "unknown"),
        ];
  return {
    status: statusOf(worst, "positive"),
    reason: reasons[worst],
    message: shown.map(({ type, text }) => `* ${type}:${afterColon(text)}`).join("\n"),
  };
}
