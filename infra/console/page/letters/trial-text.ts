import type { Trial } from "../../api/trials.ts";
import type { MarkName } from "../parts/mark-names.ts";
import { countText } from "../text/amounts.ts";

export type Verdict = keyof Trial["verdicts"];

export const VERDICTS = [
  "succeeds",
  "fails-as-before",
  "differs",
  "unknown",
] as const satisfies readonly Verdict[];

export const VERDICT_TITLES: { readonly [verdict in Verdict]: string } = {
  succeeds: "Would succeed",
  "fails-as-before": "Fails as before",
  differs: "Fails otherwise",
  unknown: "Cannot be judged",
};

export const VERDICT_MARKS: { readonly [verdict in Verdict]: MarkName } = {
  succeeds: "healthy",
  "fails-as-before": "failing",
  differs: "failing",
  unknown: "unknown",
};

const WORDS: { readonly [verdict in Verdict]: readonly [one: string, many: string] } = {
  succeeds: ["would succeed", "would succeed"],
  "fails-as-before": ["fails as before", "fail as before"],
  differs: ["fails otherwise", "fail otherwise"],
  unknown: ["cannot be judged", "cannot be judged"],
};

/** Returns the verdict on so many letters: `fails as before`, `fail as before`. */
export function verdictText(verdict: Verdict, count: number): string {
  return WORDS[verdict][count === 1 ? 0 : 1];
}

/** Returns `3,988 would succeed, 12 fail as before`; empty when nothing has been tried. */
export function trialText({ verdicts }: Pick<Trial, "verdicts">): string {
  return VERDICTS.filter((verdict) => verdicts[verdict] > 0)
    .map((verdict) => `${countText(verdicts[verdict])} ${verdictText(verdict, verdicts[verdict])}`)
    .join(", ");
}
