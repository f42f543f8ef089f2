import { describe, expect, it } from "vitest";
import { observedStore, transitionsBetween } from "../../../../infra/cli/up/transitions.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { WIDGETS, widget } from "../../../support/widget.ts";

const POOLS = { cluster: "management", group: "cluster.x-k8s.io", kind: "MachinePool" };

function pool(status: object = {}): KubeObject {
  const object = {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "MachinePool",
    metadata: { name: "p1", namespace: "default" },
    status,
  };
  return object;
}
const texts = (before: KubeObject | undefined, after: KubeObject | undefined) =>
  transitionsBetween(POOLS, before, after).map(({ text }) => text);
const conditions = (status: string, reason: string) => ({
  conditions: [{ type: "Available", status, reason }],
});

describe("the transitions of an object", () => {
  it("begin with its creation and end with its deletion", () => {
    expect(transitionsBetween(POOLS, undefined, pool({ phase: "Pending" }))).toEqual([
      { object: "MachinePool default/p1", text: "created" },
      { object: "MachinePool default/p1", text: "Pending" },
    ]);
    expect(texts(pool(), undefined)).toEqual(["deleted"]);
    expect(texts(undefined, undefined)).toEqual([]);
  });

  it("are its phase, its state, its number of Nodes", () => {
    expect(texts(pool({ phase: "Pending" }), pool({ phase: "Running" }))).toEqual(["Pending → Running"]);
    expect(texts(pool({ state: "connecting" }), pool({ state: "connected" }))).toEqual([
      "connecting → connected",
    ]);
    expect(texts(pool({ nodeRefs: [{}] }), pool({ nodeRefs: [{}, {}] }))).toEqual(["nodes 1 → 2"]);
    expect(texts(pool({ phase: "Running" }), pool({ phase: "Running", replicas: 3 }))).toEqual([]);
  });

  it("are conditions that change, but not one that begins as False", () => {
    expect(texts(pool(), pool(conditions("False", "NotAvailable")))).toEqual([]);
    expect(texts(pool(conditions("False", "NotAvailable")), pool(conditions("True", "Available")))).toEqual([
      "Available True (Available)",
    ]);
    expect(texts(pool(conditions("True", "Available")), pool(conditions("False", "NotAvailable")))).toEqual([
      "Available False (NotAvailable)",
    ]);
  });

  it("name the workload cluster of a Node, and leave bookkeeping out", () => {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } };
    expect(
      transitionsBetween({ cluster: "default/c1", group: "", kind: "Node" }, undefined, node)[0]?.object,
    ).toBe("Node n1 in default/c1");
    const event = { ...node, kind: "Event" };
    expect(transitionsBetween({ cluster: "management", group: "", kind: "Event" }, undefined, event)).toEqual(
      [],
    );
  });
});

describe("an observed store", () => {
  it("reports every stored change and nothing else", async () => {
    const seen: string[] = [];
    const version = (object: KubeObject | undefined) => object?.metadata.resourceVersion ?? "-";
    await using store = observedStore(createMemoryStore(), (_, before, after) => {
      seen.push(`${version(before)} → ${version(after)}`);
    });
    await store.put(WIDGETS, [widget()]);
    await store.put(WIDGETS, [widget({ resourceVersion: "9" })]);
    await store.put(WIDGETS, [widget({ resourceVersion: "8" })]);
    const key = { namespace: "default", name: "w" };
    await store.remove(WIDGETS, key, { uid: "other", resourceVersion: "10" });
    await store.remove(WIDGETS, key, { uid: "uid-w", resourceVersion: "10" });
    expect(seen).toEqual(["- → 7", "7 → 9", "9 → -"]);
  });

  it("is the same store for all else", async () => {
    await using store = observedStore(createMemoryStore(), () => undefined);
    await store.advance(WIDGETS, { ready: true, resourceVersion: "7" });
    await store.put(WIDGETS, [widget()]);
    expect(await store.progress(WIDGETS)).toEqual({ ready: true, resourceVersion: "7" });
    expect(await store.get(WIDGETS, { namespace: "default", name: "w" })).toMatchObject({ kind: "Widget" });
    expect(await store.list(WIDGETS, {})).toHaveLength(1);
    expect(await store.find(WIDGETS, "uid", "uid-w")).toHaveLength(1);
    await store.drop(WIDGETS);
    expect(await store.list(WIDGETS, {})).toEqual([]);
  });
});
