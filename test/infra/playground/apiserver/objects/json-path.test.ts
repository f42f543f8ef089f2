import { describe, expect, it } from "vitest";
import { selectPath } from "../../../../../infra/playground/apiserver/objects/json-path.ts";

const object = {
  spec: { size: 3, list: [{ name: "a" }, { name: "b" }] },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Slow", status: "False" },
    ],
  },
  metadata: { labels: { "a.b/c": "x" } },
};

describe("column paths", () => {
  it.each([
    [".spec.size", [3]],
    ["{.spec.size}", [3]],
    [".spec.missing.deeper", []],
    [".spec.list[*].name", ["a", "b"]],
    [".spec.list[1].name", ["b"]],
    ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
    ["{.status.conditions[?(@.type != 'Ready')].status}", ["False"]],
    [".metadata.labels['a.b/c']", ["x"]],
    [".metadata.labels.a\\.b", []],
    ["$$$", []],
  ])("%s select what they name", (path, values) => {
    expect(selectPath(object, path)).toEqual(values);
  });
});
