import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLiveArea } from "../../../../infra/cli/terminal/live-area.ts";
import { emulatedTerminal } from "../../../support/terminal.ts";

const tree = (count: number, width = 10): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${index}`.padEnd(width, "t"));

/** Returns the visible rows, without the empty row below. */
function seen(terminal: ReturnType<typeof emulatedTerminal>): readonly string[] {
  return [...terminal.scrolled(), ...terminal.screen()].filter((line) => line !== "");
}

describe("lines that change in place", () => {
  it("stand below what scrolls by, once, when they grow and shrink at the lower end of the screen", () => {
    const terminal = emulatedTerminal(40, 8);
    const area = createLiveArea(terminal);
    area.above("log 1\n");
    area.draw(tree(3));
    for (let line = 2; line <= 20; line += 1) area.above(`log ${line}\n`);
    area.draw(tree(6));
    area.above(`${"long".repeat(30)}\n`);
    area.draw(tree(2));
    expect(seen(terminal).filter((line) => /^\dt/.test(line))).toEqual(tree(2));
    expect(seen(terminal).filter((line) => line.startsWith("log"))).toHaveLength(20);
    expect(terminal.screen().at(-2)).toBe(tree(2)[1]);
  });

  it("leave nothing behind when the terminal becomes narrower, and are cut to its width", () => {
    const terminal = emulatedTerminal(40, 20);
    const area = createLiveArea(terminal);
    terminal.write("before\n");
    area.draw(tree(4, 100));
    terminal.resize(16, 20);
    area.draw(tree(4, 100));
    expect(seen(terminal)).toEqual(["before", ...tree(4, 14).map((line) => `${line}…`)]);
    terminal.resize(60, 20);
    area.draw(tree(1));
    expect(seen(terminal)).toEqual(["before", ...tree(1)]);
  });

  it("keep every line of the log and one copy of the tree, whatever comes", () => {
    const step = fc.oneof(
      fc.record({ log: fc.integer({ min: 1, max: 90 }) }),
      fc.record({ draw: fc.integer({ min: 0, max: 9 }), width: fc.integer({ min: 1, max: 90 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const terminal = emulatedTerminal(40, 10);
        const area = createLiveArea(terminal);
        let [logged, last] = [0, tree(0)];
        for (const one of steps) {
          if ("log" in one) area.above(`${"L".repeat(one.log)}\n`);
          else last = tree(one.draw, one.width);
          if ("draw" in one) area.draw(last);
          logged += "log" in one ? one.log : 0;
        }
        const lines = seen(terminal);
        expect(lines.join("").replaceAll(/[^L]/g, "")).toHaveLength(logged);
        expect(lines.filter((line) => /^\d/.test(line))).toHaveLength(last.length);
      }),
    );
  });

  it("stay where they are once they have ended", () => {
    const terminal = emulatedTerminal(40, 10);
    const area = createLiveArea(terminal);
    area.draw(tree(2));
    area.end();
    terminal.write("summary\n");
    area.above("log\n");
    expect(seen(terminal)).toEqual([...tree(2), "summary", "log"]);
  });

  it("take a terminal without a size for a usual one", () => {
    expect(createLiveArea({ columns: 0, rows: 0, write: () => true }).size()).toEqual({
      columns: 79,
      rows: 24,
    });
  });
});
