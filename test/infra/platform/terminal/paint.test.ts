import { afterEach, describe, expect, it, vi } from "vitest";
import { bold, padded, paint, shown, widthOf } from "../../../../infra/platform/terminal/paint.ts";

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
