import { describe, expect, it } from "vitest";
import { annotationsPatch, labelPatch } from "../../../../shared/rules/metadata/labels.ts";
import { machinePool } from "../../../support/builders.ts";

describe("labelPatch", () => {
  it("creates the map where there is none", () => {
    const object = machinePool({ metadata: { labels: undefined } });
    expect(labelPatch(object, "a/b", "v")).toEqual([
      { op: "add", path: "/metadata/labels", value: { "a/b": "v" } },
    ]);
  });

  it("sets one label and escapes its key", () => {
    expect(labelPatch(machinePool(), "a~/b", "v")).toEqual([
      { op: "add", path: "/metadata/labels/a~0~1b", value: "v" },
    ]);
  });

  it("is empty when the label is right", () => {
    expect(labelPatch(machinePool(), "cluster.x-k8s.io/cluster-name", "c1")).toEqual([]);
  });
});

describe("annotationsPatch", () => {
  it("creates the map where there is none and names only what differs where there is one", () => {
    const desired = { "a/b": "1", c: "2" };
    expect(annotationsPatch(machinePool(), desired)).toEqual([
      { op: "add", path: "/metadata/annotations", value: desired },
    ]);
    const object = machinePool({ metadata: { annotations: { c: "2", "a/b": "0", other: "stays" } } });
    expect(annotationsPatch(object, desired)).toEqual([
      { op: "add", path: "/metadata/annotations/a~1b", value: "1" },
    ]);
  });
});
