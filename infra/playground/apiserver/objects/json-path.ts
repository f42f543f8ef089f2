import { isJsonObject, type Json, memberOf } from "./json.ts";

type Step =
  | { readonly kind: "member"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "all" }
  | {
      readonly kind: "filter";
      readonly path: readonly Step[];
      readonly op: string;
      readonly value: Json | undefined;
    };

const parsed = new Map<string, readonly Step[]>();

const STEP =
  /\.([A-Za-z0-9_-]+(?:\\\.[A-Za-z0-9_-]+)*)|\[['"]((?:[^'"\\]|\\.)*)['"]\]|\[(-?\d+)\]|\[(\*)\]|\.(\*)|\[\?\(@((?:[^)'"]|'[^']*'|"[^"]*")*)\)\]/y;

/**
 * The values a printer column's path selects: members, indexes, `[*]` and `[?(@.type=="Ready")]`.
 * A path that cannot be understood selects nothing.
 */
export function selectPath(object: Json, path: string): Json[] {
  let steps = parsed.get(path);
  if (!steps) {
    steps = parsePath(path) ?? [{ kind: "index", index: Number.MAX_SAFE_INTEGER }];
    parsed.set(path, steps);
  }
  return follow([object], steps);
}

function follow(start: readonly Json[], steps: readonly Step[]): Json[] {
  let values = [...start];
  for (const step of steps) values = values.flatMap((value) => take(value, step));
  return values;
}

function take(value: Json, step: Step): Json[] {
  switch (step.kind) {
    case "member": {
      const member = isJsonObject(value) ? memberOf(value, step.name) : undefined;
      return member === undefined ? [] : [member];
    }
    case "index": {
      const item = Array.isArray(value) ? value.at(step.index) : undefined;
      return item === undefined ? [] : [item];
    }
    case "all":
      return everything(value);
    case "filter":
      return Array.isArray(value) ? value.filter((item) => passes(item, step)) : [];
    default:
      return step satisfies never;
  }
}

function everything(value: Json): Json[] {
  if (Array.isArray(value)) return [...value];
  return isJsonObject(value) ? Object.values(value) : [];
}

function passes(item: Json, { path, op, value }: Extract<Step, { kind: "filter" }>): boolean {
  const found = follow([item], path);
  if (value === undefined) return found.length > 0;
  return found.some((candidate) => (op === "!=" ? candidate !== value : candidate === value));
}

function parsePath(path: string): Step[] | undefined {
  const text = path.replace(/^\{(.*)\}$/, "$1").replace(/^\$/, "");
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    STEP.lastIndex = at;
    const match = STEP.exec(text);
    const step = match && toStep(match);
    if (!match || !step) return undefined;
    steps.push(step);
    // Not STEP.lastIndex: parsing a filter's inner path has moved it.
    at += match[0].length;
  }
  return steps;
}

function toStep([, dotted, quoted, index, everyItem, everyMember, filter]: RegExpExecArray):
  | Step
  | undefined {
  const name = dotted ?? quoted;
  if (name !== undefined) return { kind: "member", name: name.replaceAll(/\\(.)/g, "$1") };
  if (index !== undefined) return { kind: "index", index: Number(index) };
  if (everyItem !== undefined || everyMember !== undefined) return { kind: "all" };
  return filter === undefined ? undefined : toFilter(filter);
}

function toFilter(text: string): Step | undefined {
  const [left = "", op = "", right] = text.split(/(==|!=)/, 3);
  const path = parsePath(left.trim());
  if (!path) return undefined;
  if (right === undefined) return { kind: "filter", path, op, value: undefined };
  return { kind: "filter", path, op, value: literal(right.trim()) };
}

function literal(text: string): Json {
  const quoted = /^(['"])(.*)\1$/.exec(text);
  if (quoted) return quoted[2] ?? "";
  if (text === "true" || text === "false") return text === "true";
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}
