import { describe, expect, it } from "vitest";
import { proseOf } from "./prose.ts";

const CODE = `/**
 * Returns two
 * lines.
 */
// one
  // and the same
const a = "text \\" of" + 'it'; // behind
const b = /no "text" here/.test(a) ? 4 / 2 / 1 : \`left \${ { c: "inside" }.c } right
below\`;
`;

describe("prose of a source", () => {
  it("is its comments, texts and parts of templates, with the line where each begins", () => {
    expect(proseOf(CODE)).toEqual([
      { line: 1, text: "\n Returns two\n lines.", isDocstring: true },
      { line: 5, text: " one\n and the same" },
      { line: 7, text: 'text \\" of' },
      { line: 7, text: "it" },
      { line: 7, text: " behind" },
      { line: 8, text: "left " },
      { line: 8, text: "inside" },
      { line: 8, text: " right\nbelow" },
    ]);
  });
});
