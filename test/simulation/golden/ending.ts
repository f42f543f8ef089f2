import { diff } from "node:util";
import { type Listed, namesOf } from "../play/state.ts";
import { wrapped } from "./chapters.ts";
import { objectLines, withoutNumber } from "./object-lines.ts";

/** An object in full, to which others of its type are compared. */
export interface Example {
  /** `machines s1-*`. */
  readonly title: string;
  /** The story that ends with it, `W-22`. */
  readonly story: string;
  readonly lines: readonly string[];
}

/** An object is shown by its difference from an example where that is at most this part of its lines, and so many. */
const NEAR = { part: 1 / 3, lines: 12 };

interface Comparison {
  readonly example: Example;
  readonly changes: readonly string[];
}

/**
 * The objects that a story ends with, as text: like which example each of them is, and where it differs. Where new ones
 * may be added, an object that is like none becomes an example.
 */
export function endingLines(
  story: string,
  objects: readonly Listed[],
  { examples, mayAdd }: { readonly examples: Example[]; readonly mayAdd: boolean },
): readonly string[] {
  const names = namesOf(objects.map(({ object }) => object));
  const found = objects.map((each) => {
    const plural = each.type.slice(each.type.indexOf("/") + 1);
    const title = `${plural} ${withoutNumber(each.object.metadata.name)}`;
    const lines = objectLines(each, names);
    const nearest = nearestOf(
      lines,
      examples.filter((example) => example.title.startsWith(`${plural} `)),
    );
    const isNear = nearest !== undefined && isFew(nearest.changes.length, lines.length);
    if (isNear || !mayAdd) return { title, ...(nearest ?? { example: NONE, changes: lines }) };
    const example = { title, story, lines };
    examples.push(example);
    return { title, example, changes: [] };
  });
  return [...likeOthers(found), ...differing(found)];
}

const NONE: Example = { title: "nothing", story: "any story", lines: [] };

function isFew(changes: number, lines: number): boolean {
  return changes <= NEAR.lines && changes <= lines * NEAR.part;
}

/** The example with the fewest lines that differ. */
function nearestOf(lines: readonly string[], examples: readonly Example[]): Comparison | undefined {
  const [nearest] = examples
    .map((example) => ({ example, changes: changesOf(example.lines, lines) }))
    .toSorted((a, b) => a.changes.length - b.changes.length);
  return nearest;
}

/** Lines that differ; of a field that has another value only the line of the new one. */
function changesOf(before: readonly string[], after: readonly string[]): readonly string[] {
  const changes = diff([...before], [...after]).filter(([change]) => change !== 0);
  const isReplaced = (path: string): boolean =>
    [before, after].every((lines) => lines.filter((line) => pathOf(line) === path).length === 1);
  return changes.flatMap(([change, line]) => {
    const replaced = isReplaced(pathOf(line));
    if (change === 1) return replaced ? [] : [`- ${line}`];
    return [replaced ? line : `+ ${line}`];
  });
}

function pathOf(line: string): string {
  return line.replace(/ .*/, "");
}

interface Found extends Comparison {
  readonly title: string;
}

/** `as in W-01: clusters c1, nodes p1-0 ×3`. */
function likeOthers(found: readonly Found[]): readonly string[] {
  const alike = found.filter(({ changes }) => changes.length === 0);
  return [...Map.groupBy(alike, ({ example }) => example.story)].flatMap(([story, group]) =>
    wrapped(`as in ${story}: ${withCounts(group.map(({ example }) => example.title))}`, "  "),
  );
}

/** `clusters c1, like clusters c1 of W-01 but for`, and the lines that differ. */
function differing(found: readonly Found[]): readonly string[] {
  const groups = Map.groupBy(
    found.filter(({ changes }) => changes.length > 0),
    ({ example, changes }) => [example.title, example.story, ...changes].join("\n"),
  );
  return [...groups.values()].flatMap((group) => {
    const [{ example, changes } = { example: NONE, changes: [] }] = group;
    const titles = withCounts(group.map(({ title }) => title));
    const like = `${titles}, like ${example.title} of ${example.story} but for`;
    return [...wrapped(like, "  "), ...changes.map((change) => `    ${change}`)];
  });
}

function withCounts(titles: readonly string[]): string {
  return [...Map.groupBy(titles.toSorted(), (title) => title)]
    .map(([title, { length }]) => (length === 1 ? title : `${title} ×${length}`))
    .join(", ");
}
