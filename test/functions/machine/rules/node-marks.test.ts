import { describe, expect, it } from "vitest";
import { nodeMarks } from "../../../../functions/machine/rules/node-marks.ts";
import type { Node } from "../../../../shared/api/core.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { machine, node, type Overrides } from "../../../support/builders.ts";
import { patched } from "../../../support/patched.ts";

const NONE = { interruptible: false, outdated: false };
const TAINT = { key: "example.com/gpu", effect: "NoSchedule" } as const;
const OUTDATED = { key: "node.cluster.x-k8s.io/outdated-revision", effect: "PreferNoSchedule" };

function marked(of: Machine, on: Node, facts = NONE): Node {
  return patched(on, nodeMarks(of, on, facts).operations);
}

function withTaints(
  propagation: "Always" | undefined,
  value?: string,
  overrides: Overrides<Machine> = {},
): Machine {
  const taints = propagation === undefined ? undefined : [{ ...TAINT, propagation, value }];
  return machine("m1", { ...overrides, spec: { taints } });
}

function tainted(...taints: readonly { readonly key: string; readonly effect: string }[]): Node {
  return node("n1", { spec: { taints } });
}

function labelled(
  labels: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>> = {},
) {
  return machine("m1", { metadata: { labels, annotations } });
}

describe("the marks of a Machine on its Node", () => {
  it("say whose Node it is", () => {
    expect(marked(machine(), node()).metadata.annotations).toMatchObject({
      "cluster.x-k8s.io/cluster-name": "c1",
      "cluster.x-k8s.io/cluster-namespace": "default",
      "cluster.x-k8s.io/machine": "m1",
      "cluster.x-k8s.io/owner-kind": "MachinePool",
      "cluster.x-k8s.io/owner-name": "p1",
      "cluster.x-k8s.io/labels-from-machine": "",
      "cluster.x-k8s.io/annotations-from-machine": "",
      "cluster.x-k8s.io/taints-from-machine": "",
    });
  });

  it("name no owner for a Machine that has none, and take an old one away", () => {
    const alone = machine("m1", { metadata: { ownerReferences: undefined } });
    const annotations = marked(alone, marked(machine(), node())).metadata.annotations ?? {};
    expect(Object.keys(annotations).filter((key) => key.includes("owner"))).toEqual([]);
  });

  it.each([
    ["node-role.kubernetes.io/infra", true],
    ["node-restriction.kubernetes.io/a", true],
    ["x.node-restriction.kubernetes.io/a", true],
    ["node.cluster.x-k8s.io/a", true],
    ["x.node.cluster.x-k8s.io/a", true],
    ["evilnode.cluster.x-k8s.io/a", false],
    ["cluster.x-k8s.io/cluster-name", false],
    ["x.node-role.kubernetes.io/a", false],
    ["tier", false],
  ])("copy the label %s: %s", (key, isCopied) => {
    const { labels = {}, annotations = {} } = marked(labelled({ [key]: "v" }), node()).metadata;
    expect(labels[key]).toBe(isCopied ? "v" : undefined);
    expect(annotations["cluster.x-k8s.io/labels-from-machine"]).toBe(isCopied ? key : "");
  });

  it("copy annotations of the managed domain only", () => {
    const of = labelled({}, { "node.cluster.x-k8s.io/a": "1", "node-role.kubernetes.io/a": "2" });
    const { annotations = {} } = marked(of, node()).metadata;
    expect(annotations["node.cluster.x-k8s.io/a"]).toBe("1");
    expect(annotations["node-role.kubernetes.io/a"]).toBeUndefined();
    expect(annotations["cluster.x-k8s.io/annotations-from-machine"]).toBe("node.cluster.x-k8s.io/a");
  });

  it("take away what the Machine no longer has, and nothing that it never had", () => {
    const on = node("n1", { metadata: { labels: { "node-role.kubernetes.io/user": "" } } });
    const first = marked(labelled({ "node.cluster.x-k8s.io/b": "1", "node.cluster.x-k8s.io/a": "1" }), on);
    expect(first.metadata.annotations?.["cluster.x-k8s.io/labels-from-machine"]).toBe(
      "node.cluster.x-k8s.io/a,node.cluster.x-k8s.io/b",
    );
    const second = marked(labelled({ "node.cluster.x-k8s.io/a": "2" }), first);
    expect(second.metadata.labels).toEqual({
      "node-role.kubernetes.io/user": "",
      "node.cluster.x-k8s.io/a": "2",
    });
  });

  it("never lose what says whose Node it is, whatever a tracker lists", () => {
    const tracker = "cluster.x-k8s.io/machine,cluster.x-k8s.io/owner-name,node.cluster.x-k8s.io/x";
    const annotations = {
      "cluster.x-k8s.io/annotations-from-machine": tracker,
      "node.cluster.x-k8s.io/x": "",
    };
    const after = marked(machine(), node("n1", { metadata: { annotations } })).metadata.annotations ?? {};
    expect(after["cluster.x-k8s.io/machine"]).toBe("m1");
    expect(after["cluster.x-k8s.io/owner-name"]).toBe("p1");
    expect(after["node.cluster.x-k8s.io/x"]).toBeUndefined();
  });

  it("say that the infrastructure is interruptible, and no longer", () => {
    const spot = { ...NONE, interruptible: true };
    const first = nodeMarks(machine(), node(), spot);
    const on = patched(node(), first.operations);
    expect(first.becomesInterruptible).toBe(true);
    expect(on.metadata.labels).toEqual({ "cluster.x-k8s.io/interruptible": "" });
    expect(nodeMarks(machine(), on, spot)).toMatchObject({ operations: [], becomesInterruptible: false });
    expect(marked(machine(), on).metadata.labels).toEqual({});
  });

  it("prefer other Nodes while the MachineSet is not the newest", () => {
    const old = { ...NONE, outdated: true };
    const on = marked(machine(), tainted(TAINT), old);
    expect(on.spec?.taints).toEqual([TAINT, OUTDATED]);
    expect(nodeMarks(machine(), on, old).operations).toEqual([]);
    expect(marked(machine(), on).spec?.taints).toEqual([TAINT]);
  });

  it("keep a taint of the Machine, with its value, until the Machine drops it", () => {
    const on = marked(withTaints("Always", "a"), node());
    expect(on.spec?.taints).toEqual([{ ...TAINT, value: "a" }]);
    expect(on.metadata.annotations?.["cluster.x-k8s.io/taints-from-machine"]).toBe(
      "example.com/gpu:NoSchedule",
    );
    const changed = marked(withTaints("Always", "b"), on);
    expect(changed.spec?.taints).toEqual([{ ...TAINT, value: "b" }]);
    const dropped = marked(withTaints(undefined), changed);
    expect(dropped.spec?.taints).toEqual([]);
    expect(dropped.metadata.annotations?.["cluster.x-k8s.io/taints-from-machine"]).toBe("");
  });
});
