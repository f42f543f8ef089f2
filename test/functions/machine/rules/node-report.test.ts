import { describe, expect, it } from "vitest";
import { type NodeFacts, nodeReport } from "../../../../functions/machine/rules/node-report.ts";
import { connection, machineCondition } from "../../../support/builders.ts";
import { healthyNode } from "../../../support/machine-view.ts";
import { soloMachine, startedCluster } from "../../../support/machines.ts";
import { NOW } from "../../../support/world.ts";

function reportWith(changes: Partial<NodeFacts> = {}) {
  return nodeReport({
    machine: soloMachine(),
    cluster: startedCluster(),
    connection: connection(),
    nodes: [healthyNode()],
    rivals: [],
    now: NOW,
    ...changes,
  });
}

/** The words of both conditions, which are the same unless the Node speaks for itself. */
function said(changes: Partial<NodeFacts>) {
  const { conditions } = reportWith(changes);
  const words = conditions.map(({ status, reason, message }) => `${status} ${reason} ${message}`);
  expect(words[0]).toBe(words[1]);
  return words[0];
}

const WITH_NODE = soloMachine({ status: { nodeRef: { name: "n1" } } });
const GOING = { deletionTimestamp: "2026-01-01T11:59:00Z" };
const AWAY = { nodes: undefined, connection: undefined };

function unreachable(lastSuccess: string | undefined, failures = 5) {
  return {
    nodes: undefined,
    connection: connection({
      status: { state: "unreachable", nodesComplete: false, failures, lastSuccess, message: "no route" },
    }),
  };
}

describe("NodeReady and NodeHealthy, first match", () => {
  it.each<[string, string, Partial<NodeFacts>]>([
    [
      "the infrastructure of the Cluster",
      "Unknown InspectionFailed Waiting for Cluster status.initialization.infrastructureProvisioned to be true",
      {
        ...AWAY,
        cluster: startedCluster({ status: { initialization: { infrastructureProvisioned: false } } }),
      },
    ],
    [
      "its control plane",
      "Unknown InspectionFailed Waiting for Cluster control plane to be initialized",
      { ...AWAY, cluster: startedCluster({ status: { conditions: [] } }) },
    ],
    ["a first connection", "Unknown ConnectionDown Remote connection not established yet", AWAY],
    [
      "a connection that fails for the first time, with the reason",
      "Unknown ConnectionDown Remote connection not established yet: no route",
      unreachable(undefined, 2),
    ],
    [
      "a connection that is lost, after five minutes",
      "Unknown ConnectionDown Last successful probe at 2026-01-01T11:54:59Z: no route",
      unreachable("2026-01-01T11:54:59Z"),
    ],
    [
      "a view that stays incomplete",
      "Unknown InternalError a Node cannot be read",
      {
        nodes: undefined,
        connection: connection({ status: { nodesComplete: false, message: "a Node cannot be read" } }),
      },
    ],
    [
      "a Node that is gone while deleting",
      "False NodeDeleted Node n1 has been deleted",
      { nodes: [], machine: { ...WITH_NODE, metadata: { ...WITH_NODE.metadata, ...GOING } } },
    ],
    [
      "a Node that never was while deleting",
      "Unknown NodeDoesNotExist Node does not exist",
      { nodes: [], machine: soloMachine({ metadata: GOING }) },
    ],
    [
      "a Node that is gone",
      "False NodeDeleted Node n1 has been deleted while the Machine still exists",
      { nodes: [], machine: WITH_NODE },
    ],
    [
      "a Node that has not come",
      "Unknown InspectionFailed Waiting for a Node with spec.providerID foo://1 to exist",
      { nodes: [] },
    ],
    [
      "a provider ID",
      "Unknown InspectionFailed Waiting for FooMachine to report spec.providerID",
      { nodes: [], machine: soloMachine({ spec: { providerID: undefined } }) },
    ],
    [
      "two Nodes with one ID",
      "Unknown InternalError Nodes n1, x1 have the same provider ID foo://1; delete all but one",
      { nodes: [healthyNode("x1"), healthyNode("n1")] },
    ],
  ])("wait for %s", (_, words, facts) => {
    expect(said(facts)).toBe(words);
  });

  it("stay as they are while the connection is away for less than five minutes, and say when that ends", () => {
    const conditions = ["NodeReady", "NodeHealthy"].map((type) => machineCondition(type, "True", type));
    const machine = soloMachine({ status: { conditions } });
    const kept = { ...unreachable("2026-01-01T11:56:00Z"), machine };
    const report = reportWith(kept);
    expect(report.conditions.map(({ status, reason }) => `${status} ${reason}`)).toEqual([
      "True NodeReady",
      "True NodeHealthy",
    ]);
    expect(report.expiresInMs).toBe(60_000);
    expect(reportWith({ ...unreachable(undefined, 4), machine }).expiresInMs).toBeUndefined();
    const over = reportWith({ ...kept, now: new Date(NOW.getTime() + 60_000) });
    expect(over.conditions.map(({ reason }) => reason)).toEqual(["ConnectionDown", "ConnectionDown"]);
    expect(over.expiresInMs).toBeUndefined();
  });

  it("count the five minutes from the start of the control plane where that is later", () => {
    const started = machineCondition("ControlPlaneInitialized", "True", "Initialized");
    const cluster = startedCluster({
      status: { conditions: [{ ...started, lastTransitionTime: "2026-01-01T11:59:00Z" }] },
    });
    expect(reportWith({ ...unreachable("2026-01-01T11:00:00Z"), cluster }).expiresInMs).toBe(240_000);
    expect(reportWith({ ...unreachable(undefined), cluster }).expiresInMs).toBe(240_000);
  });
});

describe("the Node of a Machine", () => {
  it("is followed under the name by which its kubelet registers again, unless another Machine names that one", () => {
    expect(reportWith().nodeRef).toEqual({ name: "n1" });
    const renamed = { machine: WITH_NODE, nodes: [healthyNode("n0", { spec: { providerID: "foo://1" } })] };
    expect(reportWith(renamed).nodeRef).toEqual({ name: "n0" });
    const kept = reportWith({
      ...renamed,
      namers: [soloMachine({ metadata: { name: "m2", uid: "uid-m2" } })],
    });
    expect(kept.nodeRef).toEqual({ name: "n1" });
    expect(kept.nodeInfo).toMatchObject({ kubeletVersion: "v1.34.2" });
    expect(reportWith({ machine: WITH_NODE, nodes: [] }).nodeRef).toEqual({ name: "n1" });
  });

  it("is set before the control plane counts as initialized: without control plane object it waits for this very Node", () => {
    const cluster = startedCluster({ status: { conditions: [] } });
    expect(reportWith({ cluster }).nodeRef).toEqual({ name: "n1" });
  });

  it("is not chosen among two with one provider ID", () => {
    const two = reportWith({ nodes: [healthyNode("n1"), healthyNode("x1")] });
    expect([two.node, two.nodeRef, two.nodeInfo]).toEqual([undefined, undefined, undefined]);
  });

  it("is not given to a second Machine with its provider ID, and stays with the one that has named it", () => {
    const m2 = soloMachine({ metadata: { name: "m2", uid: "uid-m2" } });
    const message = "Machines m1, m2 have the same provider ID foo://1; only one of them can have the Node";
    expect(said({ rivals: [m2] })).toBe(`Unknown InternalError ${message}`);
    expect(reportWith({ rivals: [m2] }).nodeRef).toBeUndefined();
    const named = { ...m2, status: WITH_NODE.status };
    expect(said({ rivals: [named] })).toBe(`Unknown InternalError ${message}`);
    expect(reportWith({ machine: WITH_NODE, rivals: [m2] }).conditions[0]?.reason).toBe("NodeReady");
    expect(said({ machine: WITH_NODE, rivals: [named] })).toBe(`Unknown InternalError ${message}`);
  });

  it("keeps what is known of it without a view of the workload cluster", () => {
    const info = reportWith().nodeInfo;
    const known = soloMachine({ status: { nodeRef: { name: "n1" }, nodeInfo: info } });
    expect(reportWith({ ...AWAY, machine: known })).toMatchObject({
      nodeRef: { name: "n1" },
      nodeInfo: info,
    });
  });
});
