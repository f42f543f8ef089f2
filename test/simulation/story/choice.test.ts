import { describe, expect, it } from "vitest";
import { chosen } from "./choice.ts";
import { type StoryLine, storyOf } from "./lines.ts";

const NAMES = { uids: new Map(), servers: new Map() };
const story = (...trace: readonly string[]) => storyOf(trace, NAMES, new Map());
const texts = (lines: readonly StoryLine[]) => lines.map(({ text }) => text);
const quiet = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `${from + at} relay store get ${from + at}`);

const PODS = "GET /apis/x/v1/pools?watch=true&resourceVersion=1";
const KEYS = story(
  "0 relay ledger enqueue default/c1|MachinePool|default/p1,default/c1|MachinePool|default/p10 status",
  `1 relay line management ${PODS} MODIFIED p1@3`,
  `2 relay line management ${PODS} MODIFIED p10@4`,
  "3 worker-1 request management PATCH /apis/x/v1/namespaces/default/pools/p1/status {}",
  "4 worker-1 request management PATCH /apis/x/v1/namespaces/other/pools/p1 {}",
  "5 worker-1 ledger finish default/c1|MachinePool|default/p10 ok status",
  "6 worker-1 ledger finish default/c1|Cluster|default/c1 ok status",
  "X-22 strikes at status PATCH /apis/x/v1/namespaces/default/pools/p1/status #0",
  "X-22 strikes at status PATCH /apis/x/v1/namespaces/default/pools/p10/status #0",
);

describe("the shown lines of a story", () => {
  it("is the story, and every line of the hundred before the first violation", () => {
    const lines = story(
      ...quiet(200),
      "X-22 strikes at y",
      ...quiet(120, 200),
      "violated: F-01: x",
      ...quiet(50, 400),
      "violated: F-02: y",
    );
    const reported = texts(chosen(lines, {}));
    expect(reported[0]).toContain("X-22");
    expect(reported[1]).toBe("get 220");
    expect(reported.slice(100)).toEqual(["get 319", "violated: F-01: x", "violated: F-02: y"]);
  });

  it("is all of it when asked for", () => {
    expect(chosen(story(...quiet(200)), { all: true })).toHaveLength(200);
    expect(chosen(story(...quiet(200)), {})).toEqual([]);
  });

  it("is what happened in a time", () => {
    const lines = story(...quiet(200), "violated: F-01: x");
    expect(texts(chosen(lines, { all: true, fromMs: 10, toMs: 12 }))).toEqual(["get 10", "get 11", "get 12"]);
  });

  it.each([
    ["p1", [0, 1, 3, 4, 7]],
    ["default/p1", [0, 1, 3, 7]],
    ["default/c1|MachinePool|default/p1", [0, 1, 3, 7]],
    ["default/p10", [0, 2, 5, 8]],
    ["default/c1", [6]],
  ])("is what names %s, and nothing that only begins like it", (key, expected) => {
    const reported = chosen(KEYS, { key });
    expect(reported.map((line) => KEYS.indexOf(line))).toEqual(expected);
  });
});
