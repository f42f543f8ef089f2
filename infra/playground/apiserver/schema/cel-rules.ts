import { isIP } from "node:net";
import {
  type CelFunc,
  type CelInput,
  type CelList,
  type CelResult,
  CelScalar,
  type CelValue,
  celEnv,
  celFunc,
  celMethod,
  listType,
  parse,
  plan,
} from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import { meteredEnvironment } from "./cel-cost.ts";
import { hasFormat } from "./format.ts";
import { compilePattern, isRefused } from "./pattern.ts";
import type { Schema, ValidationRule } from "./schema.ts";

/**
 * Functions Kubernetes adds to CEL and the library lacks.
 * Source: https://kubernetes.io/docs/reference/using-api/cel, "CEL options, language features and libraries"
 */

const { STRING, BOOL, DYN } = CelScalar;

const QUANTITY = /^[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,4})?$/;

type Ordered = bigint | number | string;

function ordered(list: CelList): Ordered[] {
  return [...list].map((item: CelValue) => {
    if (typeof item === "bigint" || typeof item === "number" || typeof item === "string") return item;
    throw new Error("no such overload: the list's members have no order");
  });
}

function extreme(list: CelList, isBetter: (one: Ordered, other: Ordered) => boolean): Ordered {
  const [first, ...rest] = ordered(list);
  if (first === undefined) throw new Error("min or max of an empty list");
  return rest.reduce((best, item) => (isBetter(item, best) ? item : best), first);
}

function sum(list: CelList): bigint | number {
  const items = ordered(list);
  if (items.every((item) => typeof item === "bigint")) return items.reduce((total, item) => total + item, 0n);
  return items.reduce<number>((total, item) => total + Number(item), 0);
}

function isSorted(list: CelList): boolean {
  const items = ordered(list);
  return items.every((item, index) => index === 0 || (items[index - 1] as Ordered) <= item);
}

const CEL_EXTENSIONS: CelFunc[] = [
  celFunc("isURL", [STRING], BOOL, (text) => hasFormat("uri", text)),
  celFunc("isIP", [STRING], BOOL, (text) => isIP(text) !== 0),
  celFunc("isCIDR", [STRING], BOOL, (text) => hasFormat("cidr", text)),
  celFunc("isQuantity", [STRING], BOOL, (text) => QUANTITY.test(text)),
  celMethod("isSorted", listType(DYN), [], BOOL, function () {
    return isSorted(this);
  }),
  celMethod("min", listType(DYN), [], DYN, function () {
    return extreme(this, (one, other) => one < other);
  }),
  celMethod("max", listType(DYN), [], DYN, function () {
    return extreme(this, (one, other) => one > other);
  }),
  celMethod("sum", listType(DYN), [], DYN, function () {
    return sum(this);
  }),
];

/** A compiled expression. */
type Program = (bindings: Readonly<Record<string, CelInput>>) => CelResult;

/** One rule ready to be evaluated. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program: Program;
  readonly message: Program | undefined;
  /** Compares with the stored value, so it is tried on updates only. */
  readonly isTransition: boolean;
}

interface CompiledRules {
  readonly usable: readonly CompiledRule[];
  readonly failed: readonly string[];
}

/** A text beyond this is not evaluated (S-52). */
const MAX_RULE_LENGTH = 10_000;

const environment = celEnv({
  funcs: [...strings, ...CEL_EXTENSIONS],
  re2: {
    compile(source) {
      const pattern = compilePattern(source);
      if (isRefused(pattern)) throw new Error(pattern.problem);
      return pattern;
    },
  },
});

const compiledBySchema = new WeakMap<Schema, CompiledRules>();

/** The rules of one schema node, compiled once per node. */
export function compiledRules(schema: Schema): CompiledRules {
  const known = compiledBySchema.get(schema);
  if (known !== undefined) return known;
  const usable: CompiledRule[] = [];
  const failed: string[] = [];
  for (const rule of schema["x-kubernetes-validations"] ?? []) {
    const compiled = compileRule(rule);
    if (compiled === undefined) failed.push(rule.rule);
    else usable.push(compiled);
  }
  const rules = { usable, failed };
  compiledBySchema.set(schema, rules);
  return rules;
}

function compileRule(rule: ValidationRule): CompiledRule | undefined {
  const isTransition = /\boldSelf\b/.test(rule.rule);
  // `oldSelf` would have to be an optional value, which the library does not have.
  if (rule.rule.length > MAX_RULE_LENGTH || (isTransition && rule.optionalOldSelf === true)) return undefined;
  const program = compile(rule.rule);
  if (program === undefined) return undefined;
  const message = rule.messageExpression === undefined ? undefined : compile(rule.messageExpression);
  return { rule, program, message, isTransition };
}

/** Functions are looked up when a rule is planned, so a function the library lacks is found here. */
function compile(text: string): Program | undefined {
  try {
    const expression = parse(text);
    const unknown = unknownFunctions(expression.expr);
    if (unknown) return undefined;
    return plan(meteredEnvironment(environment, expression.expr), expression) as Program;
  } catch {
    return undefined;
  }
}

function unknownFunctions(expression: unknown): boolean {
  const pending: unknown[] = [expression];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node !== "object" || node === null) continue;
    const name = calledFunction(node);
    if (name !== undefined && !BUILT_IN.has(name) && environment.funcs.find(name) === undefined) return true;
    pending.push(...Object.values(node).filter((child) => child !== undefined));
  }
  return false;
}

/** The name a call node of the syntax tree calls; undefined for other nodes. */
function calledFunction(node: object): string | undefined {
  const call: { readonly case?: unknown; readonly value?: { readonly function?: unknown } } = node;
  const name = call.case === "callExpr" ? call.value?.function : undefined;
  return typeof name === "string" ? name : undefined;
}

/** Operators that the library plans itself instead of looking them up. */
const BUILT_IN: ReadonlySet<string> = new Set([
  "_?_:_",
  "_&&_",
  "_||_",
  "!_",
  "-_",
  "_==_",
  "_!=_",
  "_[_]",
  "@not_strictly_false",
]);
