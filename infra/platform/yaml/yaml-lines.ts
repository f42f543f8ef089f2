import { EVENT_ID, getScalarValue, parseEvents } from "js-yaml";
import { createLineCounter, startOf, type ValueEvent } from "./yaml-survey.ts";

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

interface Level {
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
  const levels: Level[] = [];

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
