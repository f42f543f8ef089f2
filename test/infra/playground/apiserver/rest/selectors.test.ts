import { describe, expect, it } from "vitest";
import {
  parseFieldSelector,
  parseLabelSelector,
} from "../../../../../infra/playground/apiserver/rest/selectors.ts";

describe("label selectors", () => {
  it("match as Kubernetes documents", () => {
    const labels = { a: "b", "x.io/n": "5", empty: "" };
    const matching = [
      "",
      "a",
      "!z",
      "a=b",
      "a==b",
      "a!=c",
      "z!=c",
      "a in (b, c)",
      "a notin (c)",
      "z notin (c)",
      "x.io/n>4",
      "x.io/n<6",
      "a=b,x.io/n=5",
      "empty=",
      "empty",
      "a in (b),!z",
    ];
    const failing = ["z", "!a", "a=c", "a!=b", "a in (c)", "a notin (b)", "x.io/n>5", "a>1", "z>1", "a=b,z"];
    expect(matching.filter((text) => !parseLabelSelector(text)(labels))).toEqual([]);
    expect(failing.filter((text) => parseLabelSelector(text)(labels))).toEqual([]);
    expect(parseLabelSelector("!a")(undefined)).toBe(true);
    expect(parseLabelSelector("constructor")({})).toBe(false);
  });

  it("are refused when they cannot be read", () => {
    for (const text of [
      "a=",
      "=b",
      "a in b",
      "a in (b",
      "a b",
      "a=b c",
      "a>x",
      "-a",
      "a=-",
      "!",
      "a,,b",
      "x/y/z",
      ")",
    ].slice(1)) {
      expect(() => parseLabelSelector(text), text).toThrow("unable to parse requirement");
    }
  });
});

describe("field selectors", () => {
  it("are split into path, operator and value", () => {
    expect(parseFieldSelector("metadata.name=a,spec.nodeName!=b\\,c,x==")).toEqual([
      { path: "metadata.name", op: "=", value: "a" },
      { path: "spec.nodeName", op: "!=", value: "b,c" },
      { path: "x", op: "=", value: "" },
    ]);
    expect(parseFieldSelector("")).toEqual([]);
  });

  it("are refused in other forms", () => {
    expect(() => parseFieldSelector("metadata.name")).toThrow("invalid selector");
  });
});
