import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listAt, pointerOf, sameJson, segmentsOf, textAt, valueAt } from "../../../shared/api/path.ts";

const object = {
  metadata: {
    labels: { "cluster.x-k8s.io/cluster-name": "c1" },
    ownerReferences: [{ uid: "u1", name: "c1" }],
  },
  spec: { replicas: 0, list: ["a"], empty: null },
  status: { conditions: [{ type: "Ready", status: "True" }, null, "text"] },
};

describe("field paths", () => {
  it.each([
    ["spec.replicas", 0],
    ["metadata.labels[cluster.x-k8s.io/cluster-name]", "c1"],
    ["status.conditions[Ready].status", "True"],
    ["metadata.ownerReferences[u1].name", "c1"],
    ["spec.list", ["a"]],
    ["spec.empty", null],
    ["spec.missing.deeper", undefined],
    ["status.conditions[Unknown].status", undefined],
    ["spec.replicas.deeper", undefined],
    ["spec.constructor", undefined],
    ["spec.__proto__", undefined],
  ])("%s is %j", (path, value) => {
    expect(valueAt(object, path)).toEqual(value);
  });

  it("finds nothing in a value that is not an object", () => {
    expect(valueAt(undefined, "spec")).toBeUndefined();
    expect(valueAt("text", "length")).toBeUndefined();
  });

  it("takes a value of another type for an absent one, where a text or a list is wanted", () => {
    const texts = ["metadata.labels[cluster.x-k8s.io/cluster-name]", "spec.replicas", "spec.missing"];
    expect(texts.map((path) => textAt(object, path))).toEqual(["c1", "", ""]);
    const lists = ["spec.list", "spec.replicas", "spec.missing"];
    expect(lists.map((path) => listAt(object, path))).toEqual([["a"], [], []]);
  });

  it("keeps dots inside brackets together", () => {
    expect(segmentsOf("metadata.labels[a.b/c].x")).toEqual(["metadata", "labels", "a.b/c", "x"]);
  });

  it("escapes JSON pointers", () => {
    expect(pointerOf("metadata.labels[a/b~c]")).toBe("/metadata/labels/a~1b~0c");
  });
});

describe("equality of JSON values", () => {
  it("ignores key order and absent members, but not list order", () => {
    expect(sameJson({ a: 1, b: undefined, c: [1, { d: 2 }] }, { c: [1, { d: 2 }], a: 1 })).toBe(true);
    expect(sameJson([1, 2], [2, 1])).toBe(false);
    expect(sameJson({ a: 1 }, { a: 1, b: 2 })).toBe(false);
    expect(sameJson(null, {})).toBe(false);
    expect(sameJson([], {})).toBe(false);
  });

  it("agrees with a copy through JSON text", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => sameJson(value, JSON.parse(JSON.stringify(value)))));
  });

  it("is symmetric", () => {
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => sameJson(a, b) === sameJson(b, a)));
  });
});
