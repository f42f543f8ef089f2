import type { Explained, ExplainedFunction } from "./explain-tree.ts";
import type { Concern, ObjectFacts } from "./object-facts.ts";
import { isAwaited, type Problem } from "./problem.ts";

/** A problem with everything that it holds up. */
export interface HeldUp extends Problem {
  /** `MachinePool default/p1: InfrastructureReady, machinepool-adopt`, one per object. */
  readonly holdsUp: readonly string[];
}

/** An explanation for people: each problem once, in front, and no idle function. */
export interface Folded {
  readonly explained: Explained;
  readonly causes: readonly HeldUp[];
  /** Count of idle functions that are left out. */
  readonly idle: number;
}

/** Removes repetitions of a problem and idle functions from an explanation. */
export function foldCauses(explained: Explained, causes: readonly Problem[]): Folded {
  const held = new Map<Problem, string[]>(causes.map((cause) => [cause, []]));
  let idle = 0;
  const fold = (one: Explained): Explained => {
    const { facts, folded } = foldFacts(one, causes);
    const waiting = one.functions.map((each) => ({ each, cause: causeOf(each, causes) }));
    const kept = waiting.filter(({ each, cause }) => cause === undefined && !isIdle(each));
    idle += waiting.filter(({ each }) => isIdle(each)).length;
    for (const cause of causes) {
      const names = [
        ...folded.filter((other) => other.cause === cause).map(({ type }) => type),
        ...waiting.filter((other) => other.cause === cause).map(({ each }) => each.function),
      ];
      if (names.length > 0) held.get(cause)?.push(`${one.object}: ${names.join(", ")}`);
    }
    return {
      ...facts,
      functions: kept.map(({ each }) => each),
      children: one.children.map(fold),
    };
  };
  const folded = fold(explained);
  return {
    explained: folded,
    causes: causes.map((cause) => ({ ...cause, holdsUp: held.get(cause) ?? [] })),
    idle,
  };
}

/** A function that has failed, or is about to run, shows more than the object that it waits for. */
function causeOf(
  { now, history, deadLetter }: ExplainedFunction,
  causes: readonly Problem[],
): Problem | undefined {
  const { waitsFor, wouldSend, failure, notListed, why, old } = now;
  const awaited = old ?? waitsFor?.what ?? (notListed === true ? why : undefined);
  if (awaited === undefined || wouldSend.length > 0 || failure !== undefined) return undefined;
  if (deadLetter !== undefined || history?.state?.failure !== undefined) return undefined;
  return causes.find((cause) => isAwaited(cause, awaited, waitsFor?.object));
}

function isIdle({ now, history, deadLetter }: ExplainedFunction): boolean {
  const { wouldSend, waitsFor, againAfterMs, failure, notListed, notRead, old } = now;
  const nothing = wouldSend.length === 0 && waitsFor === undefined && againAfterMs === undefined;
  return (
    nothing &&
    failure === undefined &&
    notListed !== true &&
    notRead === undefined &&
    old === undefined &&
    deadLetter === undefined &&
    history?.state === undefined
  );
}

/** The facts of an object that say more than its problems, and the conditions that say the same. */
interface FoldedFacts<T extends ObjectFacts> {
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
