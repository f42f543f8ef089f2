import {
  boolYaml11Tag,
  constructFromEvents,
  FAILSAFE_SCHEMA,
  floatYaml11Tag,
  intYaml11Tag,
  mergeTag,
  NOT_RESOLVED,
  nullYaml11Tag,
  parseEvents,
  Schema,
  YAMLException,
} from "js-yaml";
import { integerOf, type LongInteger } from "./long-integer.ts";
import { type SurveyedDocument, surveyEvents } from "./yaml-survey.ts";

/** Bounds of a text; the caller chooses them by its author. */
export interface YamlBounds {
  readonly maxBytes: number;
  readonly maxDocuments: number;
  /** Lines, and places where a value may begin. The parser's work is proportional to them and to the bytes. */
  readonly maxMarks: number;
  /** The most aliases in all documents, which have at most `maxMarks` values with their aliases written out. */
  readonly maxAliases: number;
}

export interface YamlDocument extends SurveyedDocument {
  /** A JSON value, undefined for an empty document. Objects may occur in it twice where the text had aliases. */
  readonly value: unknown;
}

interface Limits {
  readonly maxNodes: number;
  readonly maxDepth: number;
}

interface Weight {
  readonly nodes: number;
  readonly depth: number;
}

const TOO_MUCH: Weight = { nodes: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY };

/** The text is not YAML or goes over a bound. `message` may quote the text. */
export class YamlError extends Error {
  /** The line, from 1; undefined when the text as a whole is refused. */
  readonly line: number | undefined;
  /** The exceeded bound, without a quotation of the text. */
  readonly bound: string | undefined;
  constructor(message: string, { line, bound, cause }: { line?: number; bound?: string; cause?: unknown }) {
    super(line === undefined ? message : `line ${line}: ${message}`, { cause });
    this.name = "YamlError";
    this.line = line;
    this.bound = bound;
  }
}

/** Bounds for files that a user names on the command line: larger than every provider's, and still read quickly. */
export const FILE_BOUNDS: YamlBounds = {
  maxBytes: 16 * 1024 * 1024,
  maxDocuments: 10_000,
  maxMarks: 1_000_000,
  maxAliases: 1_000,
};

/** Collections within each other. Kubernetes objects have about 20 levels, schemas of CRDs about 60. */
const MAX_DEPTH = 100;

const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const OCTAL = /^0[oO]?(?=[0-7])/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;

/**
 * Plain scalars as Kubernetes reads them: YAML 1.1, where `y` and `no` are booleans and `010` is 8; times and dates are
 * texts, and `1:30` is not a number. Source: kubernetes-sigs/yaml, goyaml.v2/resolve.go
 */
const KUBERNETES_SCHEMA = new Schema([
  ...FAILSAFE_SCHEMA.tags,
  nullYaml11Tag,
  boolYaml11Tag,
  { ...intYaml11Tag, resolve: (source) => numberOf(source.replaceAll("_", "")) ?? NOT_RESOLVED },
  { ...floatYaml11Tag, resolve: (source) => floatOf(source.replaceAll("_", "")) ?? NOT_RESOLVED },
  mergeTag,
]);

function numberOf(source: string): number | LongInteger | undefined {
  const [, sign, digits] = INTEGER.exec(source) ?? [];
  if (digits === undefined) return undefined;
  const value = BigInt(digits.replace(OCTAL, "0o"));
  return integerOf(sign === "-" ? -value : value);
}

/** Returns undefined for `.inf` and `.nan`, too: JSON has neither. */
function floatOf(source: string): number | undefined {
  const value = FLOAT.test(source) ? Number(source) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

/**
 * Reads YAML of any origin in time proportional to its length (decision record 7). Throws YamlError. Tags that JSON has
 * no value for, and keys that are collections, are errors.
 */
export function readYaml(text: string, bounds: YamlBounds): readonly YamlDocument[] {
  checkText(text, bounds);
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH });
    const { documents, aliases } = surveyEvents(events, text);
    checkBound(documents.length, bounds.maxDocuments, "documents");
    checkBound(aliases, bounds.maxAliases, "aliases");
    // Duplicates have been recorded, so the last value may replace the first.
    const values = constructFromEvents(events, { source: text, schema: KUBERNETES_SCHEMA, json: true });
    if (aliases > 0 && !isWithin(values, { maxNodes: bounds.maxMarks, maxDepth: MAX_DEPTH })) {
      throw exceeds(`more than ${bounds.maxMarks} values when its aliases are written out`);
    }
    return documents.map((document, index) => ({ ...document, value: values[index] }));
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    throw new YamlError(reason, { ...(mark === undefined ? {} : { line: mark.line + 1 }), cause: error });
  }
}

/**
 * Returns whether values stay within limits once their aliases are written out: aliases of aliases double
 * with each line. Visits each collection once; one that holds itself is too deep.
 */
function isWithin(values: readonly unknown[], limits: Limits): boolean {
  const known = new Map<object, Weight>();
  const weigh = (value: unknown, level: number): Weight => {
    if (typeof value !== "object" || value === null) return { nodes: 1, depth: 0 };
    const before = known.get(value);
    if (level + (before?.depth ?? 0) > limits.maxDepth) return TOO_MUCH;
    if (before !== undefined) return before;
    let nodes = 1;
    let depth = 0;
    for (const member of Object.values(value)) {
      const weight = weigh(member, level + 1);
      nodes += weight.nodes;
      depth = Math.max(depth, weight.depth + 1);
      if (nodes > limits.maxNodes) return TOO_MUCH;
    }
    known.set(value, { nodes, depth });
    return { nodes, depth };
  };
  return weigh(values, -1).nodes <= limits.maxNodes;
}

/** Checks the text before anything is parsed. */
function checkText(text: string, { maxBytes, maxMarks }: YamlBounds): void {
  // A text of n UTF-16 units has at least n bytes.
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) {
    throw exceeds(`more than ${maxBytes} bytes`);
  }
  checkBound(marksIn(text), maxMarks, "lines and values");
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANKS = new Set([0x09, 0x20]);

/** They end a value wherever they stand. */
const ENDS = new Set([LINE_FEED, CARRIAGE_RETURN, ...[..."[]{},"].map((end) => end.charCodeAt(0))]);

/** A value begins behind them when a blank follows. */
const BEGINNINGS = new Set([..."-?:"].map((beginning) => beginning.charCodeAt(0)));

/** Returns how many lines there are, and characters between two values; those within texts are counted, too. */
function marksIn(text: string): number {
  let marks = 1;
  let last = LINE_FEED;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (ENDS.has(code) || (BEGINNINGS.has(last) && BLANKS.has(code))) marks += 1;
    last = code;
  }
  return marks;
}

function checkBound(count: number, max: number, what: string): void {
  if (count > max) throw exceeds(max === 0 ? what : `more than ${max} ${what}`);
}

function exceeds(bound: string): YamlError {
  return new YamlError(`the text has ${bound}; make it smaller`, { bound });
}
