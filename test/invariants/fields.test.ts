import { describe, expect, it } from "vitest";
import { type Source, sourcesIn } from "../support/sources.ts";

/** A list of field paths as it is written somewhere. */
interface FieldList {
  readonly at: string;
  readonly paths: ReadonlySet<string>;
}

/** In every list: it only says that an object appears, disappears or is recreated. */
const EXISTENCE = "metadata.uid";
/** `[ … ]` without a list inside it (paths may have brackets), and the names in `controlPlanePaths("a", "b")`. */
const LISTS = /\[((?:[^[\]]|\[[^[\]"\n]*\])*)\]|\b\w+Paths\(([^()]*)\)/g;
const PATH = /"((?:metadata|spec|status)\.[^"\n]+)"/g;
const NAME = /"(\w+)"/g;

function fieldListsOf({ path, code }: Source): readonly FieldList[] {
  return [...code.matchAll(LISTS)].flatMap((match) => {
    const [whole, list, names] = match;
    const written = [...(list ?? names ?? "").matchAll(list === undefined ? NAME : PATH)];
    const prefix = list === undefined ? `${whole.split("(")[0]}.` : "";
    const paths = new Set(written.map(([, name]) => `${prefix}${name}`).filter((name) => name !== EXISTENCE));
    const line = code.slice(0, match.index).split("\n").length;
    // Applied fields are the function's own, and complete: `owns` is not a list of watched fields.
    const isOwned = /\bconst OWNED = $/.test(code.slice(0, match.index));
    return paths.size < 2 || isOwned ? [] : [{ at: `${path}:${line}`, paths }];
  });
}

/** Every two lists that have two paths or more in common. */
function repetitions(sources: readonly Source[]): readonly string[] {
  const lists = sources.flatMap(fieldListsOf);
  return lists.flatMap((list, index) =>
    lists.slice(index + 1).flatMap((other) => {
      const common = [...list.paths].filter((path) => other.paths.has(path));
      return common.length < 2 ? [] : [`${list.at} and ${other.at} both list ${common.join(", ")}`];
    }),
  );
}

const sources = [
  ...(await sourcesIn("{functions,infra/playground/functions}")),
  ...(await sourcesIn("shared/rules")),
];

describe("a list of fields", () => {
  it("is written once, by the rule that reads them; watches compose such lists", () => {
    expect(sources.flatMap(fieldListsOf).length).toBeGreaterThan(20);
    expect(repetitions(sources)).toEqual([]);
  });

  it("is seen to be repeated, whatever the order and whatever stands between", () => {
    const one = { path: "a.ts", code: 'x(["metadata.uid", "spec.a", "metadata.labels[x/y]"])' };
    const same = { path: "b.ts", code: 'const A = [...B, "metadata.labels[x/y]", "spec.b", "spec.a"]' };
    const other = {
      path: "c.ts",
      code: 'const A = ["metadata.uid", "spec.a"]; const B = fooPaths("a", "b")',
    };
    expect(repetitions([one, other])).toEqual([]);
    expect(repetitions([one, same])).toEqual(["a.ts:1 and b.ts:1 both list spec.a, metadata.labels[x/y]"]);
    expect(repetitions([other, { path: "d.ts", code: 'fooPaths("b", "c", "a")' }])).toHaveLength(1);
  });
});
