import { describe, expect, it } from "vitest";
import { nodeKeysPatch, nodeTaintsPatch } from "../../../../shared/rules/workload/node-patch.ts";
import { node } from "../../../support/builders.ts";

const A = { key: "a", value: "1", effect: "NoSchedule" };
const B = { key: "b", effect: "NoExecute" };
const NEVER = () => false;

function labelled(labels: Readonly<Record<string, string>> | undefined) {
  return node("n1", { metadata: { labels } });
}

function tainted(...taints: readonly { key: string; value?: string; effect: string }[]) {
  return node("n1", { spec: { taints } });
}

describe("labels and annotations of a Node", () => {
  it("are set one by one, and only where they differ", () => {
    const change = { set: { "a/b": "1", c: "2" }, remove: ["d", "missing"] };
    expect(nodeKeysPatch(labelled({ "a/b": "0", c: "2", d: "3", e: "4" }), "labels", change)).toEqual([
      { op: "remove", path: "/metadata/labels/d" },
      { op: "add", path: "/metadata/labels/a~1b", value: "1" },
    ]);
  });

  it("are placed as a whole only where there is none yet", () => {
    expect(nodeKeysPatch(labelled(undefined), "labels", { set: { a: "1" }, remove: ["b"] })).toEqual([
      { op: "test", path: "/metadata/labels", value: null },
      { op: "add", path: "/metadata/labels", value: { a: "1" } },
    ]);
    expect(nodeKeysPatch(labelled(undefined), "labels", { set: {}, remove: ["b"] })).toEqual([]);
  });
});

describe("taints of a Node", () => {
  it("are removed from the last to the first, each tested by key and effect", () => {
    const isGone = () => true;
    expect(nodeTaintsPatch(tainted(A, B), { isGone })).toEqual([
      { op: "test", path: "/spec/taints/1/key", value: "b" },
      { op: "test", path: "/spec/taints/1/effect", value: "NoExecute" },
      { op: "remove", path: "/spec/taints/1" },
      { op: "test", path: "/spec/taints/0/key", value: "a" },
      { op: "test", path: "/spec/taints/0/effect", value: "NoSchedule" },
      { op: "remove", path: "/spec/taints/0" },
    ]);
  });

  it("follow a value, and leave those that are right", () => {
    const set = [{ ...A, value: "2" }, B];
    expect(nodeTaintsPatch(tainted(A, B), { isGone: NEVER, set })).toEqual([
      { op: "test", path: "/spec/taints/0/key", value: "a" },
      { op: "test", path: "/spec/taints/0/effect", value: "NoSchedule" },
      { op: "add", path: "/spec/taints/0/value", value: "2" },
    ]);
    const valueless = nodeTaintsPatch(tainted(A), {
      isGone: NEVER,
      set: [{ key: "a", effect: "NoSchedule" }],
    });
    expect(valueless.at(-1)).toEqual({ op: "remove", path: "/spec/taints/0/value" });
  });

  it("are added behind the others, or as a whole where there is none", () => {
    expect(nodeTaintsPatch(tainted(A), { isGone: NEVER, set: [B] })).toEqual([
      { op: "add", path: "/spec/taints/-", value: B },
    ]);
    expect(nodeTaintsPatch(node(), { isGone: NEVER, set: [B] })).toEqual([
      { op: "test", path: "/spec/taints", value: null },
      { op: "add", path: "/spec/taints", value: [B] },
    ]);
    expect(nodeTaintsPatch(node(), { isGone: NEVER })).toEqual([]);
  });
});
