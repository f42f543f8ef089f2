import { afterEach, describe, expect, it, vi } from "vitest";
import {
  bold,
  escaped,
  escapedLines,
  padded,
  paint,
  shown,
  widthOf,
} from "../../../../infra/platform/terminal/paint.ts";

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

const ESC = "\u001b";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("a line for a terminal", () => {
  it("has its own colours and none of what it quotes", () => {
    vi.stubEnv("FORCE_COLOR", "1");
    const line = `${paint("red", `failed ${bold("now")} again`)}: ${ESC}[31mred?${ESC}[0m`;
    expect(shown(line)).toBe(
      `${ESC}[31mfailed ${ESC}[1mnow${ESC}[0m${ESC}[31m again${ESC}[0m: \\u001b[31mred?\\u001b[0m`,
    );
  });

  it("cannot be made to colour by private characters", () => {
    vi.stubEnv("FORCE_COLOR", "1");
    const everyPrivate = Array.from({ length: 0xff_fe }, (_, n) => String.fromCodePoint(0xf_0000 + n)).join(
      "",
    );
    expect(shown(everyPrivate)).not.toContain(ESC);
  });

  it("is one line", () => {
    expect(shown("a\nb")).toBe("a\\nb");
  });

  it("is cut to the columns of the terminal, colours closed, wide characters and escapes counted", () => {
    vi.stubEnv("FORCE_COLOR", "1");
    expect(shown("abcdef", 6)).toBe("abcdef");
    expect(shown("abcdefg", 6)).toBe("abcde…");
    expect(shown(paint("green", "abcdefg"), 6)).toBe(`${ESC}[32mabcde${ESC}[0m…`);
    expect(shown("部屋部屋", 6)).toBe("部屋…");
    expect(shown("a\n\n\n\n", 6)).toBe("a\\n\\n…");
    expect(shown("├─ └─ … →", 9)).toBe("├─ └─ … →");
    expect(shown("abc", 0)).toBe("…");
  });

  it("is filled up by what is shown of it", () => {
    vi.stubEnv("FORCE_COLOR", "1");
    expect(shown(padded("\n", 4))).toBe("\\n  ");
    expect(widthOf(padded(paint("red", "ab"), 4))).toBe(4);
  });

  it("has no colours where standard output is not a terminal", () => {
    vi.stubEnv("NO_COLOR", "1");
    expect(paint("green", "True")).toBe("True");
  });
});
