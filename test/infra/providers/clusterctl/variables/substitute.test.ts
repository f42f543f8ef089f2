import { describe, expect, it } from "vitest";
import {
  missingVariables,
  readTemplate,
  TemplateError,
} from "../../../../../infra/providers/clusterctl/variables/substitute.ts";
import { BROKEN_FORMS, FORM_VALUES, KNOWN_FORMS } from "../../../../support/substitution-forms.ts";

const lookup = (name: string): string | undefined => FORM_VALUES[name];
const evaluated = (text: string): string => readTemplate(text).evaluate(lookup);

function refusal(text: string, values = lookup): TemplateError {
  try {
    readTemplate(text).evaluate(values);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error("the text was substituted");
}

describe("PC-8: variables of components and templates", () => {
  it.each(KNOWN_FORMS)("%s becomes %s", (form, result) => {
    expect(evaluated(form)).toBe(result);
  });

  it.each(BROKEN_FORMS)("%s is refused: %s", (form, words) => {
    expect(refusal(`first\nsecond: ${form}\n`)).toMatchObject({ line: 2, reason: words });
  });

  it("counts lines as they were before white space is removed from ${ VAR }", () => {
    expect(refusal("a: ${\nA\n}\n${ EMPTY }\nb: ${A-x}\n").line).toBe(5);
  });

  it("says for each variable where it comes first and whether it needs a value", () => {
    const { variables } = readTemplate("${B}\n${A:=x${C}}${B:=y}\n${A}${D#v}${E:=}");
    expect(variables).toEqual([
      { name: "A", line: 2, operator: ":=", default: "x${C}", hasDefault: true },
      { name: "B", line: 1, operator: "", default: undefined, hasDefault: true },
      { name: "D", line: 3, operator: "#", default: "v", hasDefault: false },
      { name: "E", line: 3, operator: ":=", default: undefined, hasDefault: true },
    ]);
  });

  it("takes a set but empty variable for given", () => {
    expect(missingVariables(readTemplate("${EMPTY}${B}${A}${UNSET}"), lookup)).toEqual(["B", "UNSET"]);
  });

  it.each([
    ["the end of a character", "${WIDE:1}", ": cuts a character of variable WIDE"],
    ["a negative length", "${A:2:-1}", "length of A is negative"],
    ["a NUL byte", "a\0b", "NUL byte"],
    ["101 levels", "${A:=".repeat(101) + "}".repeat(101), "more than 100 variables within each other"],
  ])("refuses %s", (_title, text, words) => {
    expect(refusal(text).reason).toContain(words);
  });

  it("ends where values would make a text of gigabytes", () => {
    const long = () => "x".repeat(100_000);
    expect(refusal("${A}".repeat(1_000), long).reason).toContain("too large");
    expect(refusal("${A//x/${A}}", long).reason).toContain("too large");
    expect(refusal("${A#*y*y*y}".repeat(10), long).reason).toContain("too large");
  });

  it.each([
    ["open variables", "${A"],
    ["spaces", "${ \n"],
    ["names with spaces", "${ a$"],
    ["dollars", "$$"],
    ["escapes", "${A/\\\\"],
    ["defaults", "${A:=x}"],
    ["lines", "${ A }\n"],
  ])("reads a megabyte of %s in a moment", (_title, unit) => {
    // It hangs where the time is not linear.
    const text = unit.repeat(1_000_000 / unit.length);
    const read = (): unknown => readTemplate(text).variables;
    try {
      read();
    } catch (error) {
      expect(error).toBeInstanceOf(TemplateError);
    }
  });
});
