import type { Explained } from "../../api/explained.ts";
import type { ClusterAnswer } from "../../api/object.ts";
import { MARK_NAMES, type MarkName } from "../parts/mark-names.ts";
import { type ExplainedFunction, functionState } from "./function-state.ts";

/** One line of the outline of an object. */
export type TreeRow = {
  /** Path of the row in the tree; stable while the objects stay. */
  readonly id: string;
  /** Counted from 1. */
  readonly level: number;
} & (
  | {
      readonly type: "object";
      readonly node: Explained;
      readonly mark: MarkName;
      readonly isOpen: boolean;
      readonly isLeaf: boolean;
    }
  | { readonly type: "function"; readonly fn: ExplainedFunction }
  | { readonly type: "idle"; readonly count: number; readonly isKnown: boolean }
  | {
      readonly type: "more";
      readonly more: Explained["more"][number];
      /** The object that they belong to. */
      readonly of: string;
    }
);

interface TreeView {
  /** Rows that a person has folded or unfolded, by id. */
  readonly folded: ReadonlyMap<string, boolean>;
  readonly showsIdle: boolean;
}

/** Returns the rows of a tree. At first the root and everything that is not healthy are unfolded. */
export function treeRows(root: Explained, { folded, showsIdle }: TreeView): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const awaited = awaitedIn(root);
  const add = (node: Explained, level: number, above: string): void => {
    const id = `${above}/${node.object}`;
    const mark = markAmong(awaited, node);
    const isLeaf = node.children.length + node.functions.length + node.more.length === 0;
    const isOpen = folded.get(id) ?? (level === 1 || !CALM.has(worst([mark, worstOf(node)])));
    rows.push({ type: "object", id, level, node, mark, isOpen, isLeaf });
    if (!isOpen) return;
    const { shown, idle } = functionRows(node, { id, level, showsIdle });
    rows.push(...shown);
    for (const child of node.children) add(child, level + 1, id);
    for (const more of node.more) rows.push(moreRow(more, { id, level, of: node.object }));
    if (level === 1) rows.push(...idle);
  };
  add(root, 1, "");
  return rows;
}

/** An object that others wait for is not well, whatever it says about itself. */
function markAmong(awaited: ReadonlySet<string>, node: Explained): MarkName {
  return awaited.has(node.object) ? worst([markOf(node), "waiting"]) : markOf(node);
}

interface Above {
  readonly id: string;
  readonly level: number;
}

function moreRow(
  more: Explained["more"][number],
  { id, level, of }: Above & { readonly of: string },
): TreeRow {
  return { type: "more", id: `${id}/${more.kind} ${more.state}`, level: level + 1, more, of };
}

/** Returns the rows: of functions that have nothing to do, or whose result is not known, one stands for all. */
function functionRows(
  { functions }: Explained,
  { id, level, showsIdle }: Above & { readonly showsIdle: boolean },
) {
  const idle = showsIdle ? [] : functions.filter((fn) => functionState(fn).isIdle === true);
  const below = level + 1;
  const shown = functions
    .filter((fn) => !idle.includes(fn))
    .map((fn): TreeRow => ({ type: "function", id: `${id}/${fn.function}`, level: below, fn }));
  const isKnown = idle.every(({ now }) => now.old === undefined);
  const rest: TreeRow = { type: "idle", id: `${id}/idle`, level: below, count: idle.length, isKnown };
  return { shown, idle: idle.length === 0 ? [] : [rest] };
}

const CALM: ReadonlySet<MarkName> = new Set(["healthy", "silent"]);

/** Objects that a function of a tree waits for. */
function awaitedIn({ functions, children }: Explained): ReadonlySet<string> {
  const own = functions.flatMap((fn) => {
    const { object } = fn.now.waitsFor ?? {};
    return object === undefined || functionState(fn).mark !== "waiting" ? [] : [object];
  });
  return new Set([...own, ...children.flatMap((child) => [...awaitedIn(child)])]);
}

type Cause = ClusterAnswer["causes"][number];

/** Returns how a cause that holds up several functions is drawn. */
export function markOfCause({ about }: Pick<Cause, "about">): MarkName {
  return Object.hasOwn(CAUSE_MARKS, about) ? CAUSE_MARKS[about as keyof typeof CAUSE_MARKS] : "waiting";
}
const CAUSE_MARKS = {
  freshness: "unknown",
  connection: "unreachable",
  dead: "dead",
  paused: "paused",
} as const;

/** The mark above a page: never better than what the page lists below it. */
export function markAbove(marks: readonly MarkName[], causes: readonly Cause[]): MarkName {
  return worst([...marks, ...causes.map(markOfCause)]);
}

/** The state of an object by itself: the worst of its functions and facts; nothing is well for lack of knowledge. */
export function markOf(node: Explained): MarkName {
  const marks: MarkName[] = node.functions.map((fn) => functionState(fn).mark);
  if (node.old !== undefined) marks.push("unknown");
  if (node.problem !== undefined) marks.push("waiting");
  if (node.deletingSince !== undefined) marks.push("deleting");
  if (node.conditions.some(({ status }) => status === "Unknown")) marks.push("unknown");
  if (node.conditions.some(({ status }) => status !== "Unknown")) marks.push("waiting");
  return worst(marks);
}

/** The worst state of an object and of everything below it. */
export function worstOf(node: Explained): MarkName {
  return worst([markOf(node), ...node.children.map(worstOf)]);
}

function worst(marks: readonly MarkName[]): MarkName {
  return MARK_NAMES.find((mark) => marks.includes(mark)) ?? "silent";
}

/** A function that has failed for an object, or has given up. */
export interface Trouble {
  readonly object: string;
  readonly fn: ExplainedFunction;
}

/** Returns the functions of a tree that failed or gave up, the worst first. */
export function troublesOf(root: Explained): readonly Trouble[] {
  const found: Trouble[] = [];
  const look = (node: Explained): void => {
    for (const fn of node.functions) found.push({ object: node.object, fn });
    for (const child of node.children) look(child);
  };
  look(root);
  const rank = ({ fn }: Trouble): number => MARK_NAMES.indexOf(functionState(fn).mark);
  return found
    .filter((each) => rank(each) < MARK_NAMES.indexOf("waiting"))
    .toSorted((a, b) => rank(a) - rank(b));
}
