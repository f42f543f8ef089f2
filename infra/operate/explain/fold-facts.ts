import type { Concern, ObjectFacts } from "./object-facts.ts";
import type { Problem } from "./problem.ts";

/** The facts of an object that say more than its problems, and the conditions that say the same. */
export interface FoldedFacts<T extends ObjectFacts> {
  readonly facts: T;
  readonly folded: readonly { readonly type: string; readonly cause: Problem }[];
}

/**
 * Removes repetitions of a problem from the facts. A condition that only summarizes others keeps its
 * status and loses its message.
 */
export function foldFacts<T extends ObjectFacts>(facts: T, causes: readonly Problem[]): FoldedFacts<T> {
  const types = new Set(facts.conditions.map(({ type }) => type));
  const folded: { type: string; cause: Problem }[] = [];
  const conditions = facts.conditions.flatMap((condition) => {
    if (isSummary(condition, types)) return [{ ...condition, message: "" }];
    const cause = causes.find((problem) => says(condition, problem));
    if (cause === undefined) return [condition];
    folded.push({ type: condition.type, cause });
    return [];
  });
  const isNamed = causes.some(
    ({ about, cause }) => about !== "missing" && facts.problem?.startsWith(cause) === true,
  );
  return {
    facts: { ...facts, conditions, ...(isNamed ? { problem: "cannot be read: see above" } : {}) },
    folded,
  };
}

/** A condition that says what a problem says adds nothing. */
function says({ type, message }: Concern, problem: Problem): boolean {
  if (problem.about === "paused") return type === "Paused";
  return message.includes(problem.cause);
}

/** Whether it is `* InfrastructureReady: …` for each of the others, further lines indented. */
function isSummary({ type, message }: Concern, types: ReadonlySet<string>): boolean {
  const parts = [...message.matchAll(/^\* ([A-Za-z]+):/gm)].map(([, part = ""]) => part);
  return type === "Available" && parts.length > 0 && parts.every((part) => types.has(part));
}
