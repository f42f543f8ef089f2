import { describe, expect, it } from "vitest";
import { mergePatchOf } from "../../../../infra/platform/kube/merge-patch.ts";

const NODE = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", resourceVersion: "7", labels: { a: "1", b: "2" } },
  spec: { taints: [{ key: "x" }, { key: "y" }] },
};

describe("a JSON patch as a merge patch", () => {
  it.each([
    ["a label", [{ op: "add", path: "/metadata/labels/c~1d", value: "3" }], { labels: { "c/d": "3" } }, {}],
    ["a removal", [{ op: "remove", path: "/metadata/labels/a" }], { labels: { a: null } }, {}],
    [
      "lists as a whole",
      [
        { op: "remove", path: "/spec/taints/1" },
        { op: "add", path: "/spec/taints/0", value: { key: "w" } },
        { op: "replace", path: "/spec/taints/1", value: { key: "v" } },
        { op: "add", path: "/spec/taints/-", value: { key: "z" } },
      ],
      {},
      { spec: { taints: [{ key: "w" }, { key: "v" }, { key: "z" }] } },
    ],
    [
      "nothing after its tests",
      [
        { op: "test", path: "/metadata/uid", value: "" },
        { op: "test", path: "/metadata/annotations", value: null },
      ],
      {},
      {},
    ],
  ] as const)("has %s, under the version that was read", (_, operations, metadata, rest) => {
    const patch = mergePatchOf(NODE, operations);
    expect(patch).toEqual({ ...rest, metadata: { ...metadata, resourceVersion: "7" } });
  });

  it("does not exist where a test fails, or where a place is missing", () => {
    expect(mergePatchOf(NODE, [{ op: "test", path: "/metadata/uid", value: "u" }])).toBeUndefined();
    expect(mergePatchOf(NODE, [{ op: "add", path: "/metadata/annotations/a", value: "" }])).toBeUndefined();
  });
});
