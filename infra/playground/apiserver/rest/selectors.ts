import { badRequest } from "../errors/status-error.ts";

type Labels = Readonly<Record<string, string>>;

/** One comma-separated part of a label selector. */
interface LabelRequirement {
  readonly key: string;
  readonly matches: (value: string | undefined) => boolean;
}

interface FieldRequirement {
  readonly path: string;
  readonly op: "=" | "!=";
  readonly value: string;
}

/** Longest selector, in characters; a URL is not longer either. */
const MAX_SELECTOR_LENGTH = 64 * 1024;

const NAME = /^[0-9A-Za-z]([-0-9A-Za-z_.]{0,61}[0-9A-Za-z])?$/;
const PREFIX = /^[0-9a-z]([-0-9a-z.]{0,251}[0-9a-z])?$/;

/**
 * A label selector such as `a`, `!a`, `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a>1`, `a<2`, parts joined by commas.
 * `!=` and `notin` match objects without the key. Returns a predicate on an object's labels.
 * Throws StatusError 400 for anything else.
 */
export function parseLabelSelector(text: string): (labels: Labels | undefined) => boolean {
  if (text.length > MAX_SELECTOR_LENGTH) throw badRequest("unable to parse requirement: selector too long");
  const requirements = splitParts(text).map(parseRequirement);
  return (labels) =>
    requirements.every(({ key, matches }) =>
      matches(labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined),
    );
}

/** Splits at commas outside parentheses. An empty selector has no parts. */
function splitParts(text: string): string[] {
  if (text.trim() === "") return [];
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "(") depth += 1;
    else if (text[index] === ")") depth -= 1;
    else if (text[index] === "," && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim());
}

function refuse(problem: string): never {
  throw badRequest(`unable to parse requirement: ${problem}`);
}

function checkKey(key: string): string {
  const slash = key.indexOf("/");
  const isPrefixed = slash < 0 || PREFIX.test(key.slice(0, slash));
  if (!isPrefixed || !NAME.test(key.slice(slash + 1))) refuse(`<nil>: Invalid value: ${JSON.stringify(key)}`);
  return key;
}

function checkValue(value: string): string {
  if (value !== "" && !NAME.test(value))
    refuse(`values[0][${value}]: Invalid value: ${JSON.stringify(value)}`);
  return value;
}

function parseRequirement(part: string): LabelRequirement {
  if (part.startsWith("!")) {
    return { key: checkKey(part.slice(1).trim()), matches: (value) => value === undefined };
  }
  const end = part.search(/[\s=!<>(),]/);
  const key = checkKey(end < 0 ? part : part.slice(0, end));
  const rest = end < 0 ? "" : part.slice(end).trim();
  return { key, matches: rest === "" ? (value) => value !== undefined : parseCondition(rest) };
}

function parseCondition(text: string): LabelRequirement["matches"] {
  const comparison = /^(==|=|!=|>|<)([^=<>!()]*)$/.exec(text);
  if (comparison !== null) return compareWith(comparison[1] as string, (comparison[2] as string).trim());
  const membership = /^(in|notin)\s*\(([^()]*)\)$/.exec(text);
  if (membership === null) return refuse(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
  const values = new Set((membership[2] as string).split(",").map((value) => checkValue(value.trim())));
  return membership[1] === "in"
    ? (value) => value !== undefined && values.has(value)
    : (value) => value === undefined || !values.has(value);
}

function compareWith(operator: string, wanted: string): LabelRequirement["matches"] {
  if (operator === ">" || operator === "<") {
    if (!/^-?\d{1,19}$/.test(wanted))
      refuse(`values[0][${wanted}]: for 'Gt', 'Lt' operators, the value must be an integer`);
    const limit = BigInt(wanted);
    return (value) => {
      if (value === undefined || !/^-?\d{1,19}$/.test(value)) return false;
      return operator === ">" ? BigInt(value) > limit : BigInt(value) < limit;
    };
  }
  const expected = checkValue(wanted);
  return operator === "!=" ? (value) => value !== expected : (value) => value === expected;
}

/**
 * A field selector such as `metadata.name=a,spec.nodeName!=b`; `\,`, `\=` and `\\` stand for themselves in values.
 * Throws StatusError 400 for any other form.
 */
export function parseFieldSelector(text: string): FieldRequirement[] {
  if (text.length > MAX_SELECTOR_LENGTH) throw badRequest("invalid selector: too long");
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text)) {
    if (term === "") continue;
    const requirement = parseTerm(term);
    // A bare `=` asks for nothing, as on the real server.
    if (requirement.path === "" && requirement.value === "" && requirement.op === "=") continue;
    requirements.push(requirement);
  }
  return requirements;
}

/** Splits at commas that are not escaped; escapes are kept. */
function splitTerms(text: string): string[] {
  return text.match(/(?:\\[\s\S]|[^\\,])+/g) ?? [];
}

function parseTerm(term: string): FieldRequirement {
  const found = /^([^=!\\]*)(!=|==|=)((?:\\[\\,=]|[^\\=])*)$/.exec(term);
  if (found === null) {
    throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  }
  const value = (found[3] as string).replace(/\\([\\,=])/g, "$1");
  return { path: found[1] as string, op: found[2] === "!=" ? "!=" : "=", value };
}
