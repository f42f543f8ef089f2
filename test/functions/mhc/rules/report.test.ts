import { describe, expect, it } from "vitest";
import { mhcMachines } from "../../../../functions/mhc/machines.ts";
import { remarksOf } from "../../../../functions/mhc/rules/report.ts";
import type { Node } from "../../../../shared/api/core.ts";
import { connection, merge, node } from "../../../support/builders.ts";
import {
  at,
  badNode,
  checkedWorld,
  failed,
  forbidden,
  limitedCheck,
  machineWith,
  succeeded,
} from "../../../support/checked-machines.ts";
import { healthCheck, since, target, upCluster } from "../../../support/health-checks.ts";
import { remediationPolicy } from "../../../support/remediation-policies.ts";
import { decide, given, NOW, reported } from "../../../support/world.ts";

const JUST_NOW = at("11:59:58");

describe("what a health check reports", () => {
  it("counts verdicts, and says of each target since when and until when", async () => {
    const machines = [machineWith("good", succeeded()), machineWith("slow", succeeded())];
    const world = checkedWorld(healthCheck(), machines, [node("good"), badNode("slow", at("11:57:00"))]);
    expect(await reported(mhcMachines, world, "h1")).toEqual({
      nodes: "seen",
      counts: { healthy: 1, pending: 1, unhealthy: 0, neither: 0, unknown: 0 },
      limit: { isAllowed: true, used: 1 },
      targets: [
        { machine: "good", verdict: "healthy", since: at("08:00:00") },
        {
          machine: "slow",
          verdict: "pending",
          since: at("11:57:00"),
          next: at("12:02:00"),
          place: "the Machine itself",
        },
      ],
    });
  });

  it("waits for calm exactly as long as the function does", async () => {
    const machines = [machineWith("m1", failed(JUST_NOW)), machineWith("m2", succeeded())];
    const world = checkedWorld(limitedCheck(), machines, [badNode("m1"), node("m2")]);
    const report = await reported(mhcMachines, world, "h1");
    expect(report).toMatchObject({
      limit: { isAllowed: true, used: 1, places: 1 },
      handOver: { because: "calm", until: at("12:00:04") },
      targets: [{ machine: "m1", next: at("12:00:04"), waitsFor: "calm" }, { verdict: "healthy" }],
    });
    const { result } = await decide(mhcMachines, world);
    expect(result).toMatchObject({ afterMs: Date.parse(report.handOver?.until ?? "") - NOW.getTime() });
  });

  it("waits for the limit, with its words", async () => {
    const machines = [machineWith("m1", failed()), machineWith("m2", failed())];
    const world = checkedWorld(limitedCheck(), machines, [badNode("m1"), badNode("m2")]);
    const message = expect.stringMatching(/exceeds maxUnhealthy \(total: 2, unhealthy: 2, maxUnhealthy: 1\)/);
    expect(await reported(mhcMachines, world, "h1")).toMatchObject({
      limit: { isAllowed: false, message, used: 2, places: 1 },
      handOver: { because: "limit", text: message },
      targets: [{ waitsFor: "limit" }, { waitsFor: "limit" }],
    });
  });

  it("waits for a policy that refuses, and for an annotation to be removed", async () => {
    const annotations = { "capstan.dev/hold-remediation": "team-a" };
    const held = merge(machineWith("m2", failed()), { metadata: { annotations } });
    const spent = remediationPolicy({ spec: { retries: { perMachine: 0, windowSeconds: 60 } } });
    const nodes = [badNode("m1"), badNode("m2")];
    const world = checkedWorld(healthCheck(), [machineWith("m1", failed()), held], nodes, spent);
    expect(await reported(mhcMachines, world, "h1")).toMatchObject({
      handOver: { because: "policy", text: expect.stringContaining("RemediationPolicy r1: 0 remediations") },
      targets: [
        { waitsFor: "RemediationPolicy r1" },
        { waitsFor: "annotation capstan.dev/hold-remediation to be removed" },
      ],
    });
  });

  it("waits for a live read that a server refuses, and says the words of the server", async () => {
    const world = checkedWorld(limitedCheck(), [machineWith("m1", failed())], [badNode("m1")]);
    const refusing = world.refusing("default/c1", forbidden("nodes is forbidden"));
    expect(await reported(mhcMachines, refusing, "h1")).toMatchObject({
      handOver: { because: "live read", text: expect.stringContaining("nodes is forbidden") },
      targets: [{ waitsFor: "live read" }],
    });
  });

  it("names a Machine that goes now, and hands nothing over itself", async () => {
    const world = checkedWorld(limitedCheck(), [machineWith("m1", failed())], [badNode("m1")]);
    const report = await reported(mhcMachines, world, "h1");
    expect(report.handOver).toBeUndefined();
    expect(report.targets).toMatchObject([{ waitsFor: "the next run", reason: "UnhealthyNode" }]);
    expect((await decide(mhcMachines, world)).patch).toHaveLength(1);
  });

  it("judges without Nodes while the workload cluster is away, and changes no verdict", async () => {
    const away = connection({ status: { state: "unreachable", nodesComplete: false } });
    const machines = [machineWith("m1", failed()), machineWith("m2", succeeded())];
    const world = given(upCluster(), away, limitedCheck(), ...machines);
    expect(await reported(mhcMachines, world, "h1")).toMatchObject({
      nodes: "unseen",
      counts: { unknown: 2 },
      targets: [
        { machine: "m1", verdict: "unknown", waitsFor: "its Node to be seen" },
        { machine: "m2", verdict: "unknown" },
      ],
    });
  });

  it("while the workload cluster is away the limit is what the status says, and unknown uses no place", async () => {
    const away = connection({ status: { state: "unreachable", nodesComplete: false } });
    const machines = [machineWith("m1", failed()), machineWith("m2", succeeded()), machineWith("m3")];
    const message = "Remediation is not allowed";
    const condition = since(at("11:00:00"), "RemediationAllowed", "False");
    const status = { conditions: [{ ...condition, message }] };
    const refused = given(upCluster(), away, merge(limitedCheck(), { status }), ...machines);
    expect((await reported(mhcMachines, refused, "h1")).limit).toEqual({
      isAllowed: false,
      message,
      used: 1,
      isStored: true,
    });
    const young = given(upCluster(), away, limitedCheck(), ...machines);
    expect((await reported(mhcMachines, young, "h1")).limit).toMatchObject({
      isAllowed: true,
      isStored: true,
    });
  });

  it("names health checks that have targets in common", async () => {
    const other = healthCheck({ metadata: { name: "h2", uid: "uid-h2" } });
    const world = checkedWorld(healthCheck(), [machineWith("m1", succeeded())], [badNode("m1")], other);
    expect(await reported(mhcMachines, world, "h1")).toMatchObject({
      overlap: expect.stringMatching(/^Machines m1 are targets of MachineHealthCheck h2, too: /),
    });
  });

  it("names a status that no Node has", async () => {
    const bad = { type: "Ready", status: "Bad", timeoutSeconds: 1 };
    const check = healthCheck({ spec: { checks: { unhealthyNodeConditions: [bad] } } });
    const world = checkedWorld(check, [machineWith("m1", succeeded())], [badNode("m1")]);
    expect(await reported(mhcMachines, world, "h1")).toMatchObject({
      remarks: [expect.stringContaining('"Bad"')],
      targets: [{ verdict: "healthy" }],
    });
  });

  it("says why nothing is judged: no Cluster, a bad selector, a pause", async () => {
    const alone = given(healthCheck());
    expect(await reported(mhcMachines, alone, "h1")).toMatchObject({ held: "Cluster c1 does not exist" });
    const empty = healthCheck({ spec: { selector: { matchLabels: undefined } } });
    const bad = given(upCluster(), connection(), empty);
    expect((await reported(mhcMachines, bad, "h1")).held).toMatch(/^spec\.selector: is empty/);
    const paused = healthCheck({ metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } });
    const world = checkedWorld(paused, [machineWith("m1", failed())], [badNode("m1")]);
    expect(await reported(mhcMachines, world, "h1")).toMatchObject({
      held: expect.stringContaining("cluster.x-k8s.io/paused"),
      handOver: { because: "pause" },
      targets: [{ verdict: "unhealthy", waitsFor: "pause" }],
    });
  });

  it("says before the control plane is up that no Node counts", async () => {
    const world = given(
      upCluster({ ...STARTING, type: "ControlPlaneInitialized" }),
      healthCheck(),
      target("m1"),
    );
    expect(await reported(mhcMachines, world, "h1")).toMatchObject({
      nodes: "unneeded",
      targets: [{ verdict: "neither" }],
    });
  });
});

const STARTING = { status: "False", reason: "No", message: "", lastTransitionTime: at("08:00:00") } as const;

function remarks(type: string, status: string, ...nodes: readonly Node[]) {
  const wanted = [
    { type: "Ready", status: "False", timeoutSeconds: 1 },
    { type, status, timeoutSeconds: 1 },
  ];
  const check = healthCheck({ spec: { checks: { unhealthyNodeConditions: wanted } } });
  return remarksOf({ check, nodes: new Map(nodes.map((node) => [node.metadata.name, node])) });
}

const FIELD = "spec.checks.unhealthyNodeConditions[1]";

describe("remarks about a health check", () => {
  it("name a status that no Node has, with or without Nodes", () => {
    const text = `${FIELD}: no Node has the status "Bad", so it never fails; a condition of a Node is True, False or Unknown`;
    expect(remarks("Ready", "Bad", badNode("n1"))).toEqual([text]);
    expect(remarks("Ready", "Bad")).toEqual([text]);
  });

  it("name a condition that all Nodes lack, once there are Nodes", () => {
    expect(remarks("Redy", "False", badNode("n1"), badNode("n2"))).toEqual([
      `${FIELD}: no Node of its targets has a condition Redy, so it never fails`,
    ]);
    expect(remarks("Redy", "False")).toEqual([]);
  });

  it("are missing for what Kubernetes knows, and for what a Node has", () => {
    expect(remarks("Ready", "Unknown", badNode("n1"))).toEqual([]);
    const [condition] = badNode("n1").status?.conditions ?? [];
    const odd = {
      ...badNode("n1"),
      status: { conditions: [{ ...condition, type: "Ready", status: "Bad" }] },
    };
    expect(remarks("Ready", "Bad", odd as Node)).toEqual([]);
  });

  it("are missing for a health check of Machines alone", () => {
    expect(remarksOf({ check: healthCheck({ spec: { checks: undefined } }), nodes: undefined })).toEqual([]);
  });
});
