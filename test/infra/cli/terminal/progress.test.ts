import { describe, expect, it } from "vitest";
import { showProgress } from "../../../../infra/cli/terminal/progress.ts";

function terminal(isTTY: boolean) {
  let text = "";
  const write = (part: unknown): boolean => {
    text += String(part);
    return true;
  };
  return { stream: { isTTY, write } as Pick<NodeJS.WriteStream, "isTTY" | "write">, text: () => text };
}

describe("the progress of a command", () => {
  it("is one line of a terminal, written at most once per percent, and cleared at the end", () => {
    const { stream, text } = terminal(true);
    {
      using progress = showProgress("dropping", 4_200, stream);
      for (let n = 0; n < 4_200; n += 1) progress.advance();
    }
    const writes = text().split("\r\u001b[K").slice(1);
    expect(writes.length).toBeLessThanOrEqual(102);
    expect(writes.at(-2)).toBe(`dropping [${"=".repeat(30)}] 100 % of 4200`);
    expect(writes.at(-1)).toBe("");
    expect(text()).not.toContain("\n");
  });

  it("is not written to a pipe or a file, nor for a few", () => {
    for (const [isTTY, total] of [
      [false, 4_200],
      [true, 10],
    ] as const) {
      const { stream, text } = terminal(isTTY);
      using progress = showProgress("dropping", total, stream);
      progress.advance(total);
      expect(text()).toBe("");
    }
  });
});
