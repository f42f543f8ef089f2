import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rivalsAmong } from "../../../../functions/machinepool/rules/node-marks.ts";
import { nodeReport } from "../../../../functions/machinepool/rules/nodes.ts";
import type { MachinePool } from "../../../../shared/api/machinepool.ts";
import { machinePool, node, type Overrides } from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

const ref = (name: string, uid = `uid-${name}`) => ({ apiVersion: "v1", kind: "Node", name, uid });
const NODES = [node("n1"), node("n2"), node("n3")];
/** Provider IDs end in these: one is a prefix of the other. */
const PREFIXES = ["p1-1", "p1-10"];
const NOT_READY = { status: { conditions: [{ type: "Ready", status: "False" }] } };

/** A pool that had two Nodes, both ready and one available. */
function pool(overrides: Overrides<MachinePool> = {}): MachinePool {
  return machinePool({
    status: {
      nodeRefs: [ref("n1"), ref("n2")],
      deprecated: { v1beta1: { readyReplicas: 2, availableReplicas: 1 } },
    },
    ...overrides,
  });
}
const KEPT = { nodeRefs: [ref("n1"), ref("n2")], readyReplicas: 2, availableReplicas: 1, claimedTwice: [] };

function names(report: ReturnType<typeof nodeReport>): readonly (string | undefined)[] {
  return report.nodeRefs.map(({ name }) => name);
}

describe("nodeReport", () => {
  it("names each listed Node once, in the order of the list, and counts the Ready ones", () => {
    const listed = pool({ spec: { providerIDList: ["foo://2", "foo://1", "foo://2", "foo://7"] } });
    expect(nodeReport(listed, [node("n1", NOT_READY), node("n2")], NOW)).toMatchObject({
      nodeRefs: [ref("n2"), ref("n1")],
      readyReplicas: 1,
      availableReplicas: 1,
    });
  });

  it("compares provider IDs as whole strings", () => {
    const azure = pool({ spec: { providerIDList: ["azure:///pool1/0"] }, status: undefined });
    const elsewhere = node("n1", { spec: { providerID: "azure:///pool2/0" } });
    expect(nodeReport(azure, [elsewhere], NOW).nodeRefs).toEqual([]);
  });

  it.each([
    ["the shorter one is listed", ["foo://p1-1"], ["p1-1"]],
    ["the longer one is listed", ["foo://p1-10"], ["p1-10"]],
    ["both are listed, the shorter one first", ["foo://p1-1", "foo://p1-10"], ["p1-1", "p1-10"]],
    ["both are listed, the longer one first", ["foo://p1-10", "foo://p1-1"], ["p1-10", "p1-1"]],
  ])("names the Node of each provider ID when one ID is a prefix of another and %s", (_, list, expected) => {
    const nodes = PREFIXES.map((name) => node(name, { spec: { providerID: `foo://${name}` } }));
    const present = machinePool({ spec: { providerIDList: list } });
    for (const seen of [nodes, nodes.toReversed()])
      expect(nodeReport(present, seen, NOW)).toMatchObject({
        nodeRefs: expected.map((name) => ref(name)),
        readyReplicas: expected.length,
        claimedTwice: [],
      });
  });

  it.each([
    ["foo://p1-1", "foo://p1-10"],
    ["foo://p1-10", "foo://p1-1"],
  ])("does not take the Node of %s for the missing one of %s", (present, absent) => {
    const only = node("only", { spec: { providerID: present } });
    const listed = machinePool({ spec: { providerIDList: [absent] } });
    expect(nodeReport(listed, [only], NOW).nodeRefs).toEqual([]);
    const both = machinePool({ spec: { providerIDList: [absent, present] } });
    expect(nodeReport(both, [only], NOW)).toMatchObject({ nodeRefs: [ref("only")], readyReplicas: 1 });
  });

  it.each([
    ["the workload cluster cannot be seen", pool(), undefined],
    ["the list is empty and replicas are wanted", pool({ spec: { providerIDList: [] } }), NODES],
    [
      "the list is empty and replicas are not set",
      pool({ spec: { providerIDList: [], replicas: undefined } }),
      NODES,
    ],
    ["no Node matches at all", pool(), [node("n9")]],
  ])("keeps refs and counters while %s", (_, present, nodes) => {
    expect(nodeReport(present, nodes, NOW)).toEqual(KEPT);
  });

  it("forgets all refs of a pool scaled to zero once the Nodes are gone", () => {
    const zero = pool({ spec: { providerIDList: [], replicas: 0 } });
    expect(nodeReport(zero, [], NOW)).toMatchObject({ nodeRefs: [], readyReplicas: 0, matched: [] });
    expect(names(nodeReport(zero, [node("n2")], NOW))).toEqual(["n2"]);
  });

  it("keeps the ref of a retired Node at the end, uncounted, until its uid is gone", () => {
    const shrunk = pool({ spec: { providerIDList: ["foo://2"] } });
    const report = nodeReport(shrunk, [node("n1"), node("n2")], NOW);
    expect(names(report)).toEqual(["n2", "n1"]);
    expect(report.readyReplicas).toBe(1);
    expect(names(nodeReport(shrunk, [node("n2")], NOW))).toEqual(["n2"]);
    const recreated = node("n1", { metadata: { uid: "uid-new" } });
    expect(names(nodeReport(shrunk, [recreated, node("n2")], NOW))).toEqual(["n2"]);
  });

  it.each([
    ["lists and names", { spec: { providerIDList: ["foo://1"] }, status: { nodeRefs: [ref("n1")] } }, ["n2"]],
    ["lists and does not name yet", { spec: { providerIDList: ["foo://1"] } }, ["n2", "n1"]],
    ["names and does not list any more", { status: { nodeRefs: [ref("n1")] } }, ["n2", "n1"]],
    [
      "lists and names under an earlier uid",
      { spec: { providerIDList: ["foo://1"] }, status: { nodeRefs: [ref("n1", "uid-old")] } },
      ["n2", "n1"],
    ],
  ])(
    "keeps the ref of a Node that left the list, but not of one that another pool %s",
    (_, has, expected) => {
      const left = pool({ spec: { providerIDList: ["foo://2"] } });
      const other = machinePool({ metadata: { name: "p2" }, spec: { providerIDList: [] }, ...has });
      expect(names(nodeReport(left, [node("n1"), node("n2")], NOW, rivalsAmong([other])))).toEqual(expected);
    },
  );

  it("takes the new uid of a Node that was created again", () => {
    const recreated = node("n1", { metadata: { uid: "uid-new" } });
    expect(nodeReport(pool(), [recreated, node("n2")], NOW).nodeRefs).toEqual([
      ref("n1", "uid-new"),
      ref("n2"),
    ]);
  });

  it("prefers the Ready Node of two with one provider ID, then the younger", () => {
    const twin = (name: string, day: number, overrides = {}) =>
      node(name, {
        metadata: { creationTimestamp: `2025-01-0${day}T00:00:00Z` },
        spec: { providerID: "foo://1" },
        ...overrides,
      });
    const fresh = machinePool({ spec: { providerIDList: ["foo://1"] } });
    const ready = nodeReport(fresh, [twin("a", 1), twin("b", 2, NOT_READY)], NOW);
    const younger = nodeReport(fresh, [twin("a", 1), twin("b", 2)], NOW);
    expect([names(ready), names(younger)]).toEqual([["a"], ["b"]]);
    expect(ready.claimedTwice).toEqual(["foo://1"]);
  });

  it.each([
    ["just ready", "2026-01-01T12:00:00Z", 0, 30_001],
    ["for exactly minReadySeconds", "2026-01-01T11:59:30Z", 0, 1],
    ["for a second longer", "2026-01-01T11:59:29Z", 1, undefined],
    ["without a time", undefined, 0, undefined],
  ])("counts a Node that is Ready %s", (_, lastTransitionTime, available, expiresInMs) => {
    const patient = machinePool({ spec: { template: { spec: { minReadySeconds: 30 } } } });
    const since = node("n1", {
      status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime }] },
    });
    const report = nodeReport(patient, [since], NOW);
    expect(report).toMatchObject({ readyReplicas: 1, availableReplicas: available });
    const inMs =
      report.nextExpiryAt === undefined ? undefined : report.nextExpiryAt.getTime() - NOW.getTime();
    expect(inMs).toBe(expiresInMs);
  });

  it("gives the same whatever the order in which Nodes were seen, and never counts more than it names", async () => {
    const nodes = ["n1", "n2", "n3", "x1"].map((name) => node(name));
    await fc.assert(
      fc.property(
        fc.shuffledSubarray(nodes),
        fc.subarray(["foo://1", "foo://2", "foo://3"]),
        (seen, providerIDList) => {
          const present = pool({ spec: { providerIDList, replicas: 3 } });
          const report = nodeReport(present, seen, NOW);
          const sorted = nodeReport(
            present,
            seen.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name)),
            NOW,
          );
          expect(report).toEqual(sorted);
          expect(report.availableReplicas).toBeLessThanOrEqual(report.readyReplicas);
          expect(report.readyReplicas).toBeLessThanOrEqual(report.nodeRefs.length);
        },
      ),
    );
  });
});
