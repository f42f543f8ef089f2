import type { Concern, ObjectFacts } from "./object-facts.ts";
import type { RootCause } from "./root-causes.ts";

/** The facts of an object that say more than its root causes, and the conditions that say the same. */
export interface FoldedFacts<T extends ObjectFacts> {
  readonly facts: T;
  readonly folded: readonly { readonly type: string; readonly cause: RootCause }[];
}

/**
 * Removes repetitions of a root cause from the facts. A condition that only summarizes others keeps its
 * status and loses its message.
 */
export function foldFacts<T extends ObjectFacts>(facts: T, causes: readonly RootCause[]): FoldedFacts<T> {
  const types = new Set(facts.conditions.map(({ type }) => type));
  const folded: { type: string; cause: RootCause }[] = [];
  const conditions = facts.conditions.flatMap((condition) => {
    if (isSummary(condition, types)) return [{ ...condition, message: "" }];
    const cause = causes.find(({ message }) => condition.message.includes(message));
    if (cause === undefined) return [condition];
    folded.push({ type: condition.type, cause });
    return [];
  });
  const isNamed = causes.some(({ message }) => message === facts.problem);
  return {
    facts: { ...facts, conditions, ...(isNamed ? { problem: "cannot be read: see above" } : {}) },
    folded,
  };
}

/** `* InfrastructureReady: …` for each of the others, further lines indented. */
function isSummary({ type, message }: Concern, types: ReadonlySet<string>): boolean {
  const parts = [...message.matchAll(/^\* ([A-Za-z]+):/gm)].map(([, part = ""]) => part);
  return type === "Available" && parts.length > 0 && parts.every((part) => types.has(part));
}
