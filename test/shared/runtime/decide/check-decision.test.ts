import { describe, expect, it } from "vitest";
import { Node, Secret } from "../../../../shared/api/core.ts";
import { MANAGEMENT, refTo } from "../../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../../shared/api/patch.ts";
import { Pod } from "../../../../shared/api/workload.ts";
import {
  type AnyDecision,
  type AnyFunction,
  defineFunction,
} from "../../../../shared/function/define-function.ts";
import type { PodEviction } from "../../../../shared/function/evictions.ts";
import { done } from "../../../../shared/function/result.ts";
import { ownerReference } from "../../../../shared/rules/metadata/owner-references.ts";
import { checkDecision } from "../../../../shared/runtime/decide/check-decision.ts";
import type { RecordingReader } from "../../../../shared/runtime/read/reader.ts";
import { evictor, pod } from "../../../support/evictor.ts";
import { Gadget, Part, Widget, widget } from "../../../support/widget.ts";

const grow = defineFunction(
  {
    name: "widget-grow",
    summary: "Grows.",
    source: "own",
    reconciles: Widget,
    watches: [],
    owns: ["status.size"],
    ownsOn: [
      { kind: Widget, fields: ["metadata.finalizers", "metadata.labels[a.dev/x]"] },
      { kind: Gadget, fields: ["spec.colour", "status.conditions[Fresh]"] },
      { kind: Node, fields: ["spec.taints"] },
    ],
    calls: [
      { verb: "create", kind: Secret },
      { verb: "delete", kind: Widget },
    ],
  },
  async () => ({ apply: { "status.size": 1 }, result: done }),
);
const own = refTo(Widget, widget());
const OF_CLUSTER = widget({ labels: { "cluster.x-k8s.io/cluster-name": "c1" } });

function check(decision: Omit<AnyDecision, "result">, { live = true, fn = grow } = {}): void {
  const read: Pick<RecordingReader, "readLive" | "liveVersion"> = {
    readLive: () => live,
    liveVersion: () => "7",
  };
  checkDecision(fn, OF_CLUSTER, { ...decision, result: done }, read as RecordingReader);
}
const patch = (...operations: readonly PatchOperation[]) => check({ patch: [{ target: own, operations }] });

describe("a decision", () => {
  it("may do what the function declares", () => {
    check({
      apply: { "status.size": undefined },
      patch: [
        {
          target: own,
          operations: [
            { op: "test", path: "/spec/whatever", value: 1 },
            { op: "add", path: "/metadata/finalizers/-", value: "f" },
            { op: "remove", path: "/metadata/finalizers/0" },
            { op: "add", path: "/metadata/labels/a.dev~1x", value: "1" },
          ],
        },
      ],
      applyOn: [
        { target: refTo(Gadget, { ...widget(), kind: "Gadget" }), body: { spec: { colour: "red" } } },
      ],
      create: [{ cluster: MANAGEMENT, kind: Secret, object: widget() }],
      delete: [{ target: own }],
    });
  });

  it("names every owned field and no other", () => {
    expect(() => check({ apply: {} })).toThrow("bug: widget-grow applies  but owns status.size");
    expect(() => check({ apply: { "status.size": 1, "status.note": "n" } })).toThrow("but owns status.size");
  });

  it("may make room for an owned label or add the map with it, but with nothing else in it", () => {
    patch({ op: "add", path: "/metadata/labels", value: {} });
    patch({ op: "add", path: "/metadata/labels", value: { "a.dev/x": "1" } });
    expect(() => patch({ op: "add", path: "/metadata/labels", value: { "a.dev/x": "1", b: "2" } })).toThrow(
      "patches /metadata/labels of Widget, which it does not own",
    );
    expect(() => patch({ op: "add", path: "/spec", value: {} })).toThrow("/spec of Widget");
    expect(() => patch({ op: "add", path: "/metadata", value: "text" })).toThrow("/metadata of Widget");
  });

  it("patches neither foreign fields nor without the uid", () => {
    expect(() => patch({ op: "replace", path: "/spec/colour", value: "red" })).toThrow(
      "/spec/colour of Widget",
    );
    expect(() => patch({ op: "remove", path: "/metadata/labels" })).toThrow("/metadata/labels of Widget");
    const target = { ...own, uid: undefined };
    expect(() => check({ patch: [{ target, operations: [] }] })).toThrow("patches Widget w without its uid");
  });

  it("enters lists by index", () => {
    const target = refTo(
      Node,
      { apiVersion: "v1", kind: "Node", metadata: { name: "n", uid: "u" } },
      "default/c1",
    );
    const fn = { ...grow, spec: { ...grow.spec, queue: { maxRunningPerTenant: 1 } } };
    const decision = { patch: [{ target, operations: [{ op: "remove", path: "/spec/taints/2" } as const] }] };
    check(decision, { fn });
    expect(() => check(decision)).toThrow(
      "writes to workload cluster default/c1 and sets no maxRunningPerTenant",
    );
  });

  it("S-03: issues a Secret only when that is declared, and renews it only as it was read live", () => {
    const issues: AnyFunction = { ...grow, spec: { ...grow.spec, calls: [{ verb: "issue", kind: Secret }] } };
    const [owner, renew] = [ownerReference(Widget, widget()), { uid: "u", resourceVersion: "7" }];
    const secret = { namespace: "default", name: "s" };
    const issue = { secret, labels: {}, owner, what: { type: "keyPair" } } as const;
    check({ issue: [issue, { ...issue, renew }] }, { fn: issues });
    expect(() => check({ issue: [issue] })).toThrow("issues a Secret without declaring it");
    const stale = { issue: [{ ...issue, renew: { ...renew, resourceVersion: "6" } }] };
    expect(() => check(stale, { fn: issues })).toThrow("renews Secret s without a live read");
  });

  it("applies only owned fields of other objects, however deep they are", () => {
    const target = refTo(Gadget, { ...widget(), kind: "Gadget" });
    expect(() => check({ applyOn: [{ target, body: { spec: { colour: "red", size: 2 } } }] })).toThrow(
      "applies spec of Gadget, which it does not own",
    );
    expect(() => check({ applyOn: [{ target: own, body: { data: { a: "b" } } }] })).toThrow("data of Widget");
  });

  it("applies only owned elements of a list, identified by their type", () => {
    const gadget = refTo(Gadget, { ...widget(), kind: "Gadget" });
    const apply = (...conditions: readonly object[]) =>
      check({ applyOn: [{ target: gadget, subresource: "status", body: { status: { conditions } } }] });
    apply({ type: "Fresh", status: "True" });
    expect(() => apply({ type: "Fresh" }, { type: "Ready" })).toThrow("which it does not own");
    expect(() => apply({ status: "True" })).toThrow("which it does not own");
  });

  it("creates and deletes only declared kinds", () => {
    const gadget = { cluster: MANAGEMENT, kind: Gadget, object: widget() };
    expect(() => check({ create: [gadget] })).toThrow("creates a Gadget without declaring it");
    const calls = [{ verb: "create", kind: Widget } as const];
    const fn = { ...grow, spec: { ...grow.spec, calls } };
    const owner = { ...gadget, kind: Widget };
    check({ create: [owner] }, { fn });
    expect(() => check({ create: [{ ...owner, dependents: [gadget] }] }, { fn })).toThrow("creates a Gadget");
    expect(() => check({ delete: [{ target: { ...own, kind: Gadget } }] })).toThrow(
      "deletes a Gadget without declaring it",
    );
  });

  it("patches after a refused create only what it owns", () => {
    const calls = [{ verb: "create", kind: Widget } as const];
    const fn = { ...grow, spec: { ...grow.spec, calls } };
    const created = (path: string) => ({
      cluster: MANAGEMENT,
      kind: Widget,
      object: widget(),
      ifRefused: { target: own, operations: [{ op: "add", path, value: "x" } as const] },
    });
    check({ create: [created("/metadata/labels/a.dev~1x")] }, { fn });
    expect(() => check({ create: [created("/metadata/labels/other")] }, { fn })).toThrow(
      "patches /metadata/labels/other of Widget, which it does not own",
    );
  });

  it("deletes only what was read live, with its uid", () => {
    expect(() => check({ delete: [{ target: { ...own, uid: undefined } }] })).toThrow(
      "deletes Widget w without its uid",
    );
    expect(() => check({ delete: [{ target: own }] }, { live: false })).toThrow(
      "deletes Widget w without a live read",
    );
  });

  it("may delete any referenced object where a contract kind is declared", () => {
    const fn = { ...grow, spec: { ...grow.spec, calls: [{ verb: "delete", kind: Part } as const] } };
    check({ delete: [{ target: { ...own, kind: Gadget } }] }, { fn });
  });

  it("evicts Pods only, each with uid and live read, where the function says so", () => {
    const one = { target: refTo(Pod, pod("a")) };
    const evicting = (pods: readonly PodEviction[], options = {}) =>
      check({ evict: { pods } }, { fn: evictor(), ...options });
    evicting([one]);
    expect(() => check({ evict: { pods: [one] } })).toThrow("widget-grow evicts a Pod without declaring it");
    expect(() => evicting([{ target: { ...one.target, uid: undefined } }])).toThrow("without its uid");
    expect(() => evicting([one], { live: false })).toThrow("without a live read");
    expect(() => evicting([{ target: own }])).toThrow("which is not a Pod");
  });
});
