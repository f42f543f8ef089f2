import { parseKey } from "../../../shared/runtime/queue/key.ts";
import type { StoryLine } from "./lines.ts";

/** Selection of the lines of a story. */
export interface Choice {
  /** Every line instead of those of the story. */
  readonly all?: boolean | undefined;
  /** Only what names this object, but all of that: `p1`, `default/p1`, or a key as the queue has it. */
  readonly key?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** Of what came before the first violation every line is shown: so many. */
const BEFORE_VIOLATION = 100;

/** Default selection: the lines of the story, and all lines right before the first violation. */
export function chosen(lines: readonly StoryLine[], choice: Choice): readonly StoryLine[] {
  const { all = false, key, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = choice;
  const violation = lines.findIndex(({ kind }) => kind === "violation");
  const isBefore = (index: number): boolean => index < violation && index >= violation - BEFORE_VIOLATION;
  const names = key === undefined ? undefined : namingOf(key);
  return lines.filter((line, index) => {
    if (line.atMs < fromMs || line.atMs > toMs) return false;
    if (line.kind === "violation") return true;
    if (names !== undefined)
      return line.lane === undefined ? line.kind === "fault" && names(line) : names(line);
    return all || line.isMain || isBefore(index);
  });
}

/** Whether a line names an object. Watches and paths hold the name without the namespace before it. */
function namingOf(key: string): (line: StoryLine) => boolean {
  const { namespace = "", name } = parseKey(key) ?? partsOf(key);
  const isNamed = bounded(name, '\\s/|"');
  const isFull = namespace === "" ? isNamed : bounded(`${namespace}/${name}`, '\\s|"');
  return ({ kind, text }) => (kind === "line" || kind === "fault" ? isNamed : isFull).test(text);
}

/** A name that is not a part of a longer one, nor the tenant of a key. */
function bounded(name: string, before: string): RegExp {
  const text = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<=^|[${before}])${text}(?=$|[\\s/@?",])`);
}

function partsOf(key: string): { readonly namespace?: string; readonly name: string } {
  const [first = "", second] = key.split("/");
  return second === undefined ? { name: first } : { namespace: first, name: second };
}
