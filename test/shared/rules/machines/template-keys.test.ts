import { describe, expect, it } from "vitest";
import {
  metadataPatch,
  TEMPLATE_KEYS,
  trackedKeys,
  trackerOf,
} from "../../../../shared/rules/machines/template-keys.ts";
import { setMachine } from "../../../support/foo-sets.ts";

function machine(labels: { [key: string]: string }, annotations?: { [key: string]: string }) {
  const base = setMachine("m1");
  return { ...base, metadata: { ...base.metadata, labels, annotations } };
}

describe("keys from a template", () => {
  it("are listed sorted, once each, and read again", () => {
    expect(trackerOf(["b", "a", "b"])).toBe("a,b");
    expect(trackerOf([])).toBeUndefined();
    expect(trackedKeys(machine({}, { [TEMPLATE_KEYS]: "a,b" }))).toEqual(["a", "b"]);
    expect(trackedKeys(machine({}))).toEqual([]);
  });

  it("are set, changed and, when they have left the template, removed; others stay", () => {
    const object = machine({ keep: "1", old: "1", a: "0" }, { "x/y": "1", old: "2" });
    expect(
      metadataPatch(object, { labels: { a: "1", b: "2" }, annotations: { "x/y": "1" } }, ["old"]),
    ).toEqual([
      { op: "add", path: "/metadata/labels/a", value: "1" },
      { op: "add", path: "/metadata/labels/b", value: "2" },
      { op: "remove", path: "/metadata/labels/old" },
      { op: "remove", path: "/metadata/annotations/old" },
    ]);
    expect(metadataPatch(object, { labels: { a: "0" }, annotations: {} }, ["gone"])).toEqual([]);
  });

  it("come in one operation where there was no map", () => {
    const labels = { a: "1" };
    expect(metadataPatch(machine({}), { labels: {}, annotations: { x: "1" } }, [])).toEqual([
      { op: "add", path: "/metadata/annotations", value: { x: "1" } },
    ]);
    expect(metadataPatch(machine({}), { labels, annotations: {} }, [])).toEqual([
      { op: "add", path: "/metadata/labels/a", value: "1" },
    ]);
  });
});
