import { describe, expect, it } from "vitest";
import { escaped, escapedLines } from "../../../../infra/platform/terminal/escape.ts";

const TITLE = "\u001b]0;owned\u0007";

describe("text of others", () => {
  it.each([
    ["a newline", "a\nb", "a\\nb"],
    ["a carriage return", "a\rb", "a\\rb"],
    ["the title of the window", TITLE, "\\u001b]0;owned\\u0007"],
    ["a C1 control sequence", "\u009b31m", "\\u009b31m"],
    ["a deletion", "\u007f", "\\u007f"],
    ["another direction", "\u202egpj.exe", "\\u202egpj.exe"],
    ["an isolate", "\u2066x\u2069", "\\u2066x\\u2069"],
    ["no width", "a\u200bb\ufeff", "a\\u200bb\\ufeff"],
    ["a line separator", "a\u2028b\u2029", "a\\u2028b\\u2029"],
    ["half of a surrogate pair", "\ud83d!", "\\ud83d!"],
    ["a tag", "\u{e0041}", "\\u{e0041}"],
    ["letters of any script", "Größe 部屋 👍", "Größe 部屋 👍"],
  ])("has %s escaped", (_, text, shown) => {
    expect(escaped(text)).toBe(shown);
  });

  it("stays what it is in JSON and keeps the newlines between its lines", () => {
    const value = { name: `${TITLE}\u009b\u202e\u{e0041}\ud83d`, more: ["a\nb"] };
    const text = escapedLines(JSON.stringify(value, undefined, 2));
    expect(text).not.toMatch(/[^\n\u0020-\u007e]/);
    expect(text.split("\n").length).toBeGreaterThan(3);
    expect(JSON.parse(text)).toEqual(value);
  });
});
