import { describe, expect, it } from "vitest";
import { handOverOperations, pauseOperations } from "../../../../infra/operate/takeover/writes.ts";
import type { Kind, KubeObject } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { MachineSet } from "../../../../shared/api/machineset.ts";

const PAUSED = "cluster.x-k8s.io/paused";
const FILTER = "cluster.x-k8s.io/watch-filter";
const GUARD = [
  { op: "test", path: "/metadata/uid", value: "u1" },
  { op: "test", path: "/metadata/resourceVersion", value: "7" },
];
const TO_CAPSTAN = { label: "capstan", isGone: (manager: string) => manager === "manager" };

function machine(metadata: object): KubeObject {
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Machine",
    metadata: { name: "m1", namespace: "default", uid: "u1", resourceVersion: "7", ...metadata },
  };
}

const handOver = (object: KubeObject, receiver = TO_CAPSTAN as Parameters<typeof handOverOperations>[1]) =>
  handOverOperations({ kind: Machine as Kind, object }, receiver);

describe("the writes of a take-over", () => {
  it("pause with a value of their own, and leave what a user has paused", () => {
    expect(pauseOperations(machine({}))).toEqual([
      ...GUARD,
      { op: "add", path: "/metadata/annotations", value: { [PAUSED]: "capstan-takeover" } },
    ]);
    expect(pauseOperations(machine({ annotations: { [PAUSED]: "" } }))).toEqual([]);
    const held = machine({ labels: { [FILTER]: "capstan" }, annotations: { [PAUSED]: "" } });
    expect(handOver(held)).toEqual([]);
  });

  it("hand over by one patch: label, fields of the old controller, no pause", () => {
    const managedFields = [
      { manager: "kubectl", operation: "Update" },
      { manager: "manager", operation: "Update", subresource: "status" },
    ];
    const annotations = { [PAUSED]: "capstan-takeover" };
    expect(handOver(machine({ labels: { [FILTER]: "capi" }, annotations, managedFields }))).toEqual([
      ...GUARD,
      { op: "add", path: "/metadata/labels/cluster.x-k8s.io~1watch-filter", value: "capstan" },
      { op: "remove", path: "/metadata/managedFields/1" },
      { op: "remove", path: "/metadata/annotations/cluster.x-k8s.io~1paused" },
    ]);
  });

  it("change nothing on an object that is there already", () => {
    expect(handOver(machine({ labels: { [FILTER]: "capstan" } }))).toEqual([]);
  });

  it("take the label away for a manager without a filter", () => {
    const receiver = { label: undefined, isGone: () => false };
    expect(handOver(machine({ labels: { [FILTER]: "capstan" } }), receiver)).toEqual([
      ...GUARD,
      { op: "remove", path: "/metadata/labels/cluster.x-k8s.io~1watch-filter" },
    ]);
    expect(handOver(machine({}), receiver)).toEqual([]);
  });

  it("label also the Machines that a set makes later", () => {
    const set = { ...machine({ labels: { [FILTER]: "capi" } }), kind: "MachineSet" };
    const withTemplate = (metadata: object | undefined) =>
      handOverOperations(
        { kind: MachineSet as Kind, object: { ...set, spec: { template: { metadata } } } as KubeObject },
        TO_CAPSTAN,
      ).slice(3);
    const labels = "/spec/template/metadata/labels";
    expect(withTemplate({ labels: { app: "web" } })).toEqual([
      { op: "add", path: `${labels}/cluster.x-k8s.io~1watch-filter`, value: "capstan" },
    ]);
    expect(withTemplate({})).toEqual([{ op: "add", path: labels, value: { [FILTER]: "capstan" } }]);
    expect(withTemplate(undefined)).toEqual([
      { op: "add", path: "/spec/template/metadata", value: { labels: { [FILTER]: "capstan" } } },
    ]);
  });
});
