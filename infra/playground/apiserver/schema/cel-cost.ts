import { type CelEnv, type CelResult, type CelValue, celError, isCelList, isCelMap } from "@bufbuild/cel";
import { compilePattern, isRefused } from "./pattern.ts";

/**
 * Counts the cost of evaluating CEL, in the units of the real server: one for every name that is read and every call, a
 * tenth for every character or member that a call looks at. It is counted, not timed, so an object is refused
 * everywhere or nowhere.
 * Source: https://github.com/google/cel-go, interpreter/runtimecost.go
 */

/** The most that one evaluation of an expression may cost, as in the real server. */
export const CALL_COST_LIMIT = 1_000_000;

/** The cost so far of the expression that is being evaluated; evaluation never waits, so there is one at a time. */
const meter = { cost: 0 };

export interface Metered {
  readonly result: CelResult;
  /** The cost; beyond the limit the evaluation was broken off, and the result says nothing. */
  readonly cost: number;
}

export function metered(evaluate: () => CelResult): Metered {
  meter.cost = 0;
  const result = evaluate();
  return { result, cost: meter.cost };
}

function spend(cost: number): boolean {
  meter.cost += cost;
  return meter.cost <= CALL_COST_LIMIT;
}

/** A node of a syntax tree, as far as costs need it. */
interface Node {
  id: bigint;
  exprKind: { case?: string | undefined; value?: unknown };
}

interface Comprehension {
  iterRange: Node;
  accuInit: Node;
  loopCondition: Node;
  loopStep: Node;
  result: Node;
}

interface Call {
  readonly function: string;
  readonly target: Node | undefined;
  readonly args: readonly Node[];
}

/** Stands in front of the condition of a loop; its argument is what a turn costs. */
const TURN = "@turn";

/** Operators that the planner carries out itself; what they read is charged with what is around them. */
const PLANNED: ReadonlySet<string> = new Set(["_?_:_", "_&&_", "_||_", "@not_strictly_false", "_[_]"]);

/**
 * The environment to plan an expression in, and the expression changed, so that its evaluation is charged and ends with
 * an error once the limit is reached.
 */
export function meteredEnvironment(environment: CelEnv, expression: unknown): CelEnv {
  /** Cost of reading a call's own arguments, by the call's node. */
  const reads = new Map<number, number>();
  charge(expression as Node, reads);
  const find = (name: string) => {
    if (name === TURN) return { name, call: turn };
    const group = environment.funcs.find(name);
    if (group === undefined) return undefined;
    const call = (id: number, target: CelValue | undefined, args: CelValue[]) => {
      const operands = target === undefined ? args : [target, ...args];
      const isWithin = spend((reads.get(id) ?? 0) + costOf(name, operands));
      return isWithin ? group.call(id, target, args) : costLimitExceeded(id);
    };
    return { name, call };
  };
  // The planner asks for functions only.
  return Object.create(environment, { funcs: { value: { find } } }) as CelEnv;
}

function turn(id: number, _: CelValue | undefined, [cost]: CelValue[]): CelResult {
  return spend(Number(cost)) ? true : costLimitExceeded(id);
}

function costLimitExceeded(id: number): CelResult {
  return celError("operation cancelled: actual cost limit exceeded", id);
}

/** Notes what calls read and puts a price on the turns of loops; returns what the node reads outside of both. */
function charge(node: Node | undefined, reads: Map<number, number>): number {
  const sum = (nodes: readonly (Node | undefined)[]) =>
    nodes.reduce((total, one) => total + charge(one, reads), 0);
  const { case: kind, value } = node?.exprKind ?? {};
  switch (kind) {
    case "identExpr":
      return 1;
    case "selectExpr":
      return 1 + charge((value as { readonly operand?: Node }).operand, reads);
    case "listExpr":
      return 10 + sum((value as { readonly elements: readonly Node[] }).elements);
    case "structExpr":
      return (
        30 + sum((value as { readonly entries: readonly { value?: Node }[] }).entries.map((one) => one.value))
      );
    case "callExpr": {
      const { function: name, target, args } = value as Call;
      const inside = sum([target, ...args]);
      if (PLANNED.has(name)) return inside + (name === "_[_]" ? 1 : 0);
      reads.set(Number(node?.id), inside);
      return 0;
    }
    case "comprehensionExpr": {
      const loop = value as Comprehension;
      const cost = 1 + sum([loop.loopCondition, loop.loopStep]);
      loop.loopCondition = call("_&&_", [call(TURN, [constant(cost)]), loop.loopCondition]);
      return sum([loop.iterRange, loop.accuInit, loop.result]);
    }
    default:
      return 0;
  }
}

function call(name: string, args: readonly Node[]): Node {
  return { id: 0n, exprKind: { case: "callExpr", value: { function: name, target: undefined, args } } };
}

function constant(value: number): Node {
  const constantKind = { case: "doubleValue", value };
  return { id: 0n, exprKind: { case: "constExpr", value: { constantKind } } };
}

const COMPARISONS: ReadonlySet<string> = new Set(["_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"]);

function costOf(name: string, operands: readonly CelValue[]): number {
  const [left = null, right = null, third = null] = operands;
  if (COMPARISONS.has(name)) return tenth(Math.min(weightOf(left), weightOf(right)));
  switch (name) {
    case "@in":
    case "in":
      return isCelList(right) ? weightOf(right) : 1;
    case "_+_":
      // The library keeps a chain of lists, which takes longer to walk the longer it is.
      return isCelList(left) ? 1 + Math.ceil(left.size / 50) : tenth(sizeOf(left) + sizeOf(right));
    case "contains":
    case "split":
    case "indexOf":
    case "lastIndexOf":
      return tenth(sizeOf(left)) * tenth(sizeOf(right));
    case "join":
      return sizeOf(left) * tenth(sizeOf(right)) + tenth(weightOf(left));
    case "replace":
      return tenth(sizeOf(left)) * tenth(sizeOf(right)) + (1 + sizeOf(left)) * tenth(sizeOf(third));
    case "matches":
      return matchCost(left, right);
    default:
      return 1 + tenth(operands.reduce((total: number, one) => total + sizeOf(one), 0));
  }
}

function tenth(size: number): number {
  return Math.max(1, Math.ceil(size / 10));
}

function matchCost(text: CelValue, source: CelValue): number {
  if (typeof text !== "string" || typeof source !== "string") return 1;
  const cost = tenth(text.length) * Math.max(1, Math.ceil(source.length / 4));
  const pattern = compilePattern(source);
  return isRefused(pattern) ? cost : Math.max(cost, Math.ceil((text.length * pattern.programSize) / 50));
}

function sizeOf(value: CelValue): number {
  if (typeof value === "string" || value instanceof Uint8Array) return value.length;
  return isCelList(value) || isCelMap(value) ? value.size : 1;
}

/** Weighs everything below a value; what is heavier than a call may be is not looked at further. */
function weightOf(value: CelValue): number {
  let weight = 0;
  const pending: CelValue[] = [value];
  for (let one = pending.pop(); one !== undefined && weight < 10 * CALL_COST_LIMIT; one = pending.pop()) {
    weight += Math.max(1, typeof one === "object" ? 1 : sizeOf(one));
    if (isCelList(one)) for (const item of one) pending.push(item);
    else if (isCelMap(one)) for (const item of one.values()) pending.push(item);
  }
  return weight;
}
