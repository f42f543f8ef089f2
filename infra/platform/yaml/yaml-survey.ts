import { EVENT_ID, type Event, getScalarValue, parseEvents } from "js-yaml";

export interface SurveyedDocument {
  /** The line of its first value, from 1; 0 for an empty document. */
  readonly line: number;
  /** Keys that a map has twice, the second time on that line. The last value counts. */
  readonly duplicates: readonly { readonly key: string; readonly line: number }[];
}

interface Survey {
  readonly documents: readonly SurveyedDocument[];
  readonly aliases: number;
}

interface Level {
  /** Undefined for anything but a map. */
  readonly keys: Set<string> | undefined;
  isKeyNext: boolean;
}

/** An event that begins a value. */
type ValueEvent = Exclude<Event, { readonly type: typeof EVENT_ID.DOCUMENT | typeof EVENT_ID.POP }>;

/** Surveys each document in one pass over the parser's events of `text`. */
export function surveyEvents(events: readonly Event[], text: string): Survey {
  const documents: { line: number; duplicates: { key: string; line: number }[] }[] = [];
  const levels: Level[] = [];
  const lineAt = createLineCounter(text);
  let aliases = 0;

  const noteKey = (level: Level, event: ValueEvent) => {
    const key = keyOf(event, text);
    if (key === undefined) return;
    if (level.keys?.has(key)) documents.at(-1)?.duplicates.push({ key, line: lineAt(startOf(event)) });
    level.keys?.add(key);
  };
  const noteValue = (event: ValueEvent) => {
    const document = documents.at(-1);
    if (document?.line === 0 && startOf(event) >= 0) document.line = lineAt(startOf(event));
    const level = levels.at(-1);
    if (level?.keys === undefined) return;
    if (level.isKeyNext) noteKey(level, event);
    level.isKeyNext = !level.isKeyNext;
  };

  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      levels.pop();
      continue;
    }
    if (event.type === EVENT_ID.DOCUMENT) documents.push({ line: 0, duplicates: [] });
    else noteValue(event);
    if (event.type === EVENT_ID.ALIAS) aliases += 1;
    else if (event.type !== EVENT_ID.SCALAR) levels.push(levelOf(event));
  }
  return { documents, aliases };
}

function levelOf({ type }: Event): Level {
  const isMap = type === EVENT_ID.MAPPING;
  return { keys: isMap ? new Set() : undefined, isKeyNext: isMap };
}

/** Returns the start; negative for a value that is not written. */
function startOf(event: ValueEvent): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  return event.type === EVENT_ID.ALIAS ? event.anchorStart : event.start;
}

/** Returns undefined for `<<`, which a map may have twice, and for keys that are not texts. */
function keyOf(event: ValueEvent, text: string): string | undefined {
  if (event.type !== EVENT_ID.SCALAR) return undefined;
  const key = getScalarValue(text, event);
  return key === "<<" ? undefined : key;
}

/** Returns the line of a place, from 1; for places in ascending order it reads each character once. */
function createLineCounter(text: string): (place: number) => number {
  let line = 1;
  let next = text.indexOf("\n");
  return (place) => {
    while (next >= 0 && next < place) {
      line += 1;
      next = text.indexOf("\n", next + 1);
    }
    return line;
  };
}

/** The depth that `readYaml` allows. */
const MAX_DEPTH = 100;

/** A value of a document, with the line on which its key or it itself begins. */
interface LineNode {
  readonly line: number;
  /** The members of a map. */
  readonly members?: Map<string, LineNode>;
  /** The items of a list. */
  readonly items?: LineNode[];
  /** The text of a scalar. */
  readonly text?: string;
}

interface Nesting {
  readonly node: LineNode;
  /** The key that the next value of a map has. */
  key: { readonly name: string; readonly line: number } | undefined;
}

/**
 * Returns the lines of paths in the first document of a text that `readYaml` has read: `spec.versions[v1].schema`,
 * `metadata.labels[example.dev/a]`. In a list a step is a number or the `name` of an item. The line of the deepest value
 * that is there counts, from 1.
 */
export function linesOf(text: string): (path: string) => number {
  const root = treeOf(text);
  return (path) => {
    let node = root;
    for (const step of stepsOf(path)) {
      const next = childOf(node, step);
      if (next === undefined) break;
      node = next;
    }
    return node.line;
  };
}

function stepsOf(path: string): readonly string[] {
  return Array.from(path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g), ([step, inBrackets]) => inBrackets ?? step);
}

function childOf({ members, items }: LineNode, step: string): LineNode | undefined {
  if (members !== undefined) return members.get(step);
  if (items === undefined) return undefined;
  return items.find((item) => item.members?.get("name")?.text === step) ?? items[Number(step)];
}

function treeOf(text: string): LineNode {
  const lineAt = createLineCounter(text);
  let root: LineNode = { line: 1 };
  const levels: Nesting[] = [];

  const add = (node: LineNode): void => {
    const level = levels.at(-1);
    if (level === undefined) root = node;
    else if (level.node.items !== undefined) level.node.items.push(node);
    else level.node.members?.set(level.key?.name ?? "", node);
    if (level !== undefined) level.key = undefined;
  };

  for (const event of parseEvents(text, { maxDepth: MAX_DEPTH })) {
    if (event.type === EVENT_ID.DOCUMENT) continue;
    if (event.type === EVENT_ID.POP) {
      levels.pop();
      continue;
    }
    const level = levels.at(-1);
    const line = Math.max(1, lineAt(startOf(event)));
    const isKey = level?.node.members !== undefined && level.key === undefined;
    if (level !== undefined && isKey && event.type === EVENT_ID.SCALAR) {
      level.key = { name: getScalarValue(text, event), line };
      continue;
    }
    const node = nodeOf(event, level?.key?.line ?? line, text);
    add(node);
    if (node.members !== undefined || node.items !== undefined) levels.push({ node, key: undefined });
  }
  return root;
}

function nodeOf(event: ValueEvent, line: number, text: string): LineNode {
  if (event.type === EVENT_ID.MAPPING) return { line, members: new Map() };
  if (event.type === EVENT_ID.SEQUENCE) return { line, items: [] };
  return { line, text: event.type === EVENT_ID.SCALAR ? getScalarValue(text, event) : "" };
}
