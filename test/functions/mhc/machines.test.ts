import { describe, expect, it } from "vitest";
import { mhcMachines } from "../../../functions/mhc/machines.ts";
import type { AnyDecision } from "../../../shared/function/define-function.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { cluster, connection, node } from "../../support/builders.ts";
import {
  at,
  badNode,
  checkedWorld,
  failed,
  forbidden,
  LONG_AGO,
  limitedCheck,
  machineAfter,
  machineWith,
  saidOf,
  succeeded,
} from "../../support/checked-machines.ts";
import { healthCheck, since, upCluster } from "../../support/health-checks.ts";
import { decide, given, type World } from "../../support/world.ts";

const names = ({ patch }: AnyDecision) => patch?.map(({ target: { name } }) => name);

describe("mhc-machines says whether a Machine is healthy", () => {
  it("True in both families, one patch for each Machine, and nothing when it is said", async () => {
    const machine = machineWith("m1");
    const decision = await decide(mhcMachines, checkedWorld(healthCheck(), [machine], [node("m1")]));
    expect(saidOf(machineAfter(decision, machine), "HealthCheckSucceeded")).toEqual([
      "True",
      "HealthCheckSucceeded",
      "True",
      undefined,
    ]);
    expect(decision.patch).toHaveLength(1);
    const again = await decide(
      mhcMachines,
      checkedWorld(healthCheck(), [machineAfter(decision, machine)], [node("m1")]),
    );
    expect(again).toMatchObject({ patch: [], events: [], result: done });
  });

  it("with an Event, where the Machine was handed over: nothing else says it once that is gone", async () => {
    const handedOver = since(LONG_AGO, "OwnerRemediated", "False");
    for (const [marks, events] of [
      [[handedOver], [{ reason: "MachineRecovered", message: "Machine default/m1 is healthy again" }]],
      [[], [undefined]],
    ] as const) {
      const to = checkedWorld(healthCheck(), [machineWith("m1", failed(), ...marks)], [node("m1")]);
      const { patch } = await decide(mhcMachines, to);
      expect(patch?.map(({ announces }) => announces)).toMatchObject(events);
    }
  });

  it("leaves the conditions of others where they are", async () => {
    const others = [since(LONG_AGO, "Available", "True"), since(LONG_AGO, "Ready", "True")];
    const machine = machineWith("m1", ...others);
    const decision = await decide(mhcMachines, checkedWorld(healthCheck(), [machine], [node("m1")]));
    expect(machineAfter(decision, machine).status?.conditions?.map(({ type }) => type)).toEqual([
      "Available",
      "Ready",
      "HealthCheckSucceeded",
    ]);
  });

  it("comes back at the first deadline and changes no condition until then", async () => {
    const machines = [machineWith("m1", succeeded()), machineWith("m2", succeeded())];
    const nodes = [badNode("m1", at("11:58:00")), badNode("m2", at("11:57:00"))];
    const { patch, result } = await decide(mhcMachines, checkedWorld(healthCheck(), machines, nodes));
    expect(patch).toEqual([]);
    expect(result).toEqual(requeueAfter(120_001, "the next deadline of a target"));
  });

  it("a patch that is refused is an Event about the Machine, and is tried again", async () => {
    const decision = await decide(
      mhcMachines,
      checkedWorld(limitedCheck(), [machineWith("m1")], [badNode("m1", at("11:50:00"))]),
    );
    expect(decision.patch?.map(({ ifFails }) => ifFails)).toEqual([{ event: "FailedPatchMachine" }]);
    expect(decision.result).toEqual(requeueAfter(150_000, "writes that may be refused"));
  });

  it("one Machine of a hundred whose patch is always refused ends no deadline of the others", async () => {
    const others = Array.from({ length: 99 }, (_, index) => `m${100 + index}`);
    const plain = others.map((name) => machineWith(name, succeeded()));
    const well = await decide(
      mhcMachines,
      checkedWorld(
        limitedCheck(),
        plain,
        others.map((name) => node(name)),
      ),
    );
    const machines = [machineWith("m1"), ...plain.map((machine) => machineAfter(well, machine))];
    const nodes = others.map((name, index) => (index < 50 ? badNode(name, at("11:55:10")) : node(name)));
    const of = checkedWorld(limitedCheck(), machines, [badNode("m1", at("08:00:00")), ...nodes]);
    const before = await decide(mhcMachines, of);
    expect(names(before)).toEqual(["m1"]);
    expect(before.result).toEqual(requeueAfter(10_001, "the next deadline of a target"));
    const decision = await decide(mhcMachines, of, "h1", new Date(Date.parse(at("12:00:10")) + 1));
    expect(names(decision)).toEqual(["m1", ...others.slice(0, 50)]);
    expect(decision.patch?.every(({ ifFails }) => ifFails?.event === "FailedPatchMachine")).toBe(true);
  });

  it("only the first of two health checks by name writes, in the words of the one that fails", async () => {
    const strict = healthCheck({
      metadata: { name: "h2", uid: "uid-h2" },
      spec: {
        checks: {
          unhealthyNodeConditions: [{ type: "Ready", status: "True", timeoutSeconds: 60 }],
        },
      },
    });
    const machine = machineWith("m1", succeeded());
    const both = checkedWorld(
      healthCheck({ spec: { remediation: { triggerIf: { unhealthyLessThanOrEqualTo: 1 } } } }),
      [machine],
      [node("m1")],
      strict,
    );
    expect(names(await decide(mhcMachines, both, "h2"))).toEqual([]);
    const decision = await decide(mhcMachines, both, "h1");
    expect(saidOf(machineAfter(decision, machine), "HealthCheckSucceeded")).toEqual([
      "False",
      "UnhealthyNode",
      "False",
      "UnhealthyNode",
    ]);
    const handed = await decide(
      mhcMachines,
      checkedWorld(healthCheck(), [machineAfter(decision, machine)], [node("m1")], strict),
      "h2",
    );
    expect(saidOf(machineAfter(handed, machineAfter(decision, machine)), "OwnerRemediated")[0]).toBe("False");
  });

  it("a paused health check has no say", async () => {
    const annotations = { "cluster.x-k8s.io/paused": "" };
    const first = healthCheck({ metadata: { name: "h0", uid: "uid-h0", annotations } });
    const both = checkedWorld(healthCheck(), [machineWith("m1")], [node("m1")], first);
    expect(names(await decide(mhcMachines, both, "h1"))).toEqual(["m1"]);
    expect(await decide(mhcMachines, both, "h0")).toEqual({
      result: waitFor("MachineHealthCheck.metadata.annotations[cluster.x-k8s.io/paused]"),
    });
  });

  it("the first of two writes when the deadline of the other one comes", async () => {
    const strict = healthCheck({
      metadata: { name: "h2", uid: "uid-h2" },
      spec: { checks: { unhealthyNodeConditions: [{ type: "Ready", status: "False", timeoutSeconds: 0 }] } },
    });
    const machine = machineWith("m1", succeeded());
    const both = checkedWorld(healthCheck(), [machine], [badNode("m1", at("12:00:00"))], strict);
    expect((await decide(mhcMachines, both, "h1")).result).toEqual(
      requeueAfter(1, "the next deadline of a target"),
    );
  });
});

describe("mhc-machines judges nothing", () => {
  const machines = [machineWith("m1")];

  it.each<[string, World, string]>([
    ["without Cluster", given(connection(), healthCheck(), ...machines), "Cluster.metadata.uid"],
    [
      "of a paused Cluster",
      given(cluster({ spec: { paused: true } }), healthCheck(), ...machines),
      "Cluster.spec.paused",
    ],
    [
      "while the workload cluster is not connected",
      given(upCluster(), connection({ status: { state: "unreachable" } }), healthCheck(), ...machines),
      "Connection.status.nodesComplete",
    ],
    [
      "while its Nodes are not all known",
      given(upCluster(), connection({ status: { nodesComplete: false } }), healthCheck(), ...machines),
      "Connection.status.nodesComplete",
    ],
    [
      "without a Connection",
      given(upCluster(), healthCheck(), ...machines),
      "Connection.status.nodesComplete",
    ],
  ])("%s", async (_, of, field) => {
    expect(await decide(mhcMachines, of)).toEqual({ result: waitFor(field) });
  });

  it("with a selector that is empty", async () => {
    const spec = { selector: { matchLabels: undefined } };
    expect(await decide(mhcMachines, checkedWorld(healthCheck({ spec }), machines, []))).toEqual({
      result: done,
    });
  });

  it("by a Node that the view lacks until the server has said that it is gone", async () => {
    const machine = machineWith("m1", succeeded());
    const rebuilt = checkedWorld(healthCheck(), [machine], []).live(node("m1"), "default/c1");
    expect(names(await decide(mhcMachines, rebuilt))).toEqual([]);
    const decision = await decide(mhcMachines, checkedWorld(healthCheck(), [machine], []));
    expect(saidOf(machineAfter(decision, machine), "HealthCheckSucceeded")).toEqual([
      "False",
      "NodeDeleted",
      "False",
      "NodeNotFound",
    ]);
    const without = checkedWorld(healthCheck(), [machine], []).refusing("default/c1", forbidden("no nodes"));
    const blocked = await decide(mhcMachines, without);
    expect(names(blocked)).toEqual([]);
    expect(blocked.events).toMatchObject([
      { reason: "RemediationBlocked", message: expect.stringMatching(/: no nodes$/) },
    ]);
    expect(blocked.result).toEqual(requeueAfter(60_000, "an answer of a server"));
  });

  it("finds the Node of a Machine whose kubelet has registered under another name, and hands nothing over", async () => {
    const machine = machineWith("m1");
    const providerID = "foo://1";
    const of = { ...machine, spec: { ...machine.spec, providerID } };
    const renamed = node("new-name", { spec: { providerID } });
    const decision = await decide(mhcMachines, checkedWorld(healthCheck(), [of], [renamed]));
    expect(saidOf(machineAfter(decision, of), "HealthCheckSucceeded")[0]).toBe("True");
    const bad = { ...badNode("new-name", at("11:50:00")), spec: { providerID } };
    const unhealthy = await decide(mhcMachines, checkedWorld(healthCheck(), [of], [bad]));
    expect(saidOf(machineAfter(unhealthy, of), "HealthCheckSucceeded")).toContain("UnhealthyNode");
  });
});
