import { describe, expect, it } from "vitest";
import {
  durationText,
  type NodeEvidence,
  type Verdict,
  verdictOf,
} from "../../../../functions/mhc/rules/verdict.ts";
import type { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import type { Condition } from "../../../../shared/api/conditions.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../../shared/api/machinehealthcheck.ts";
import { node } from "../../../support/builders.ts";
import { healthCheck, since, target, upCluster } from "../../../support/health-checks.ts";
import { NOW } from "../../../support/world.ts";

type Checks = MachineHealthCheck["spec"]["checks"];

/** `NOW` is 12:00:00. */
const at = (time: string) => `2026-01-01T${time}Z`;
const ms = (time: string) => Date.parse(at(time));
/** A deadline is passed 1 ms later. */
const justAfter = (time: string) => ms(time) + 1;

interface Given {
  readonly checks?: Checks;
  readonly cluster?: Cluster;
  readonly machine?: Machine;
  readonly node?: NodeEvidence;
  readonly now?: Date;
}

function judge(given: Given): Verdict {
  const check = healthCheck();
  const checks: Checks = given.checks ?? {
    nodeStartupTimeoutSeconds: 600,
    unhealthyNodeConditions: [{ type: "Ready", status: "False", timeoutSeconds: 300 }],
  };
  const evidence = {
    check: { ...check, spec: { ...check.spec, checks } },
    cluster: given.cluster ?? upCluster(),
    machine: given.machine ?? target(),
    node: given.node ?? node(),
  };
  const { sinceMs: _, ...verdict } = { sinceMs: 0, ...verdictOf(evidence, given.now ?? NOW) };
  return verdict;
}

/** Node whose condition has been so since this time; `undefined`: it has no time. */
function nodeWith(type: string, status: string, lastTransitionTime: string | undefined, reason?: string) {
  return node("n1", { status: { conditions: [{ type, status, reason, lastTransitionTime }] } });
}

const HEALTHY = { is: "healthy" };
const NEITHER = { is: "neither" };
const NOT_READY = "Condition Ready on Node is reporting status False with reason Gone for more than 5m0s";

describe("a Machine with the annotation remediate-machine", () => {
  const machine = (value: string) =>
    target("m1", { metadata: { annotations: { "cluster.x-k8s.io/remediate-machine": value } } });

  it.each(["", "false"])("is unhealthy whatever its value: %j", (value) => {
    expect(judge({ machine: machine(value) })).toEqual({
      is: "unhealthy",
      reason: "HasRemediateAnnotation",
      texts: [],
    });
  });

  it("is so before the control plane is up, and when nothing is known of its Node", () => {
    const cluster = upCluster(
      since(at("11:00:00"), "ControlPlaneInitialized", "False"),
      since(at("11:00:00"), "InfrastructureReady", "False"),
    );
    expect(judge({ machine: machine(""), cluster, node: "unknown" })).toMatchObject({ is: "unhealthy" });
  });
});

describe("before its Cluster is up", () => {
  const uninitialized = upCluster(since(at("11:00:00"), "ControlPlaneInitialized", "False"));
  const unprovisioned = upCluster(since(at("11:00:00"), "InfrastructureReady", "False"));
  const controlPlane = { metadata: { labels: { "cluster.x-k8s.io/control-plane": "" } } };

  it("nothing is decided about a worker, and no timer runs", () => {
    expect(judge({ cluster: uninitialized, node: "none" })).toEqual(NEITHER);
    expect(
      judge({
        cluster: upCluster(since(at("00:00:00"), "ControlPlaneInitialized", "Unknown")),
        node: "none",
      }),
    ).toEqual(NEITHER);
  });

  it("a control plane Machine is checked for its startup all the same", () => {
    expect(judge({ cluster: uninitialized, machine: target("m1", controlPlane), node: "none" })).toEqual({
      is: "unhealthy",
      reason: "NodeStartupTimeout",
      texts: ["Node failed to report startup in 10m0s"],
    });
  });

  it("a Machine with a Node is healthy while the infrastructure is not ready, whatever the Node says", () => {
    const bad = nodeWith("Ready", "False", at("00:00:00"));
    expect(judge({ cluster: unprovisioned, node: bad })).toEqual(HEALTHY);
    const deleting = target("m1", { metadata: { deletionTimestamp: at("11:00:00") } });
    expect(judge({ cluster: unprovisioned, machine: deleting, node: bad })).toEqual(NEITHER);
    expect(judge({ cluster: unprovisioned, node: "missing" })).toEqual(NEITHER);
    expect(judge({ cluster: unprovisioned, node: "unknown" })).toEqual({ is: "unknown" });
  });
});

describe("a Machine with a Node", () => {
  it("is healthy while nothing fails, and neither while it is being deleted", () => {
    expect(judge({})).toEqual(HEALTHY);
    const deleting = target("m1", { metadata: { deletionTimestamp: at("11:00:00") } });
    expect(judge({ machine: deleting })).toEqual(NEITHER);
  });

  it.each([
    ["fails long enough", "11:54:59", { is: "unhealthy", reason: "UnhealthyNode", texts: [NOT_READY] }],
    ["reaches the deadline exactly", "11:55:00", { is: "pending", untilMs: justAfter("12:00:00") }],
    ["fails since now", "12:00:00", { is: "pending", untilMs: justAfter("12:05:00") }],
    ["fails from a time in the future", "12:10:00", { is: "pending", untilMs: justAfter("12:15:00") }],
  ])("that %s", (...[, time, verdict]) => {
    expect(judge({ node: nodeWith("Ready", "False", at(time), "Gone") })).toEqual(verdict);
  });

  it("fails as soon as the deadline is over", () => {
    const bad = nodeWith("Ready", "False", at("11:55:00"), "Gone");
    expect(judge({ node: bad, now: new Date(justAfter("12:00:00")) })).toMatchObject({ is: "unhealthy" });
  });

  it("has failed for ever without a time, and shows an absent reason as nothing", () => {
    expect(judge({ node: nodeWith("Ready", "False", undefined) })).toEqual({
      is: "unhealthy",
      reason: "UnhealthyNode",
      texts: ["Condition Ready on Node is reporting status False with reason  for more than 5m0s"],
    });
  });

  it.each([
    ["another status", nodeWith("Ready", "Unknown", at("00:00:00"))],
    ["another type", nodeWith("DiskPressure", "False", at("00:00:00"))],
    ["none at all", node("n1", { status: { conditions: undefined } })],
  ])("is in order with a condition of %s", (_, of) => {
    expect(judge({ node: of })).toEqual(HEALTHY);
  });

  it("shows each failing condition, in the order of the checks, and the first deadline", () => {
    const checks: Checks = {
      unhealthyNodeConditions: [
        { type: "DiskPressure", status: "True", timeoutSeconds: 0 },
        { type: "Ready", status: "Unknown", timeoutSeconds: 90 },
      ],
    };
    const both = (time: string) =>
      node("n1", {
        status: {
          conditions: [
            { type: "Ready", status: "Unknown", reason: "Lost", lastTransitionTime: at(time) },
            { type: "DiskPressure", status: "True", reason: "Full", lastTransitionTime: at(time) },
          ],
        },
      });
    expect(judge({ checks, node: both("11:00:00") })).toEqual({
      is: "unhealthy",
      reason: "UnhealthyNode",
      texts: [
        "Condition DiskPressure on Node is reporting status True with reason Full for more than 0s",
        "Condition Ready on Node is reporting status Unknown with reason Lost for more than 1m30s",
      ],
    });
    expect(judge({ checks, node: both("12:00:30") })).toEqual({
      is: "pending",
      untilMs: justAfter("12:00:30"),
    });
  });

  it("is unhealthy at once when its Node is gone, whatever is checked", () => {
    expect(judge({ checks: { nodeStartupTimeoutSeconds: 0 }, node: "missing" })).toEqual({
      is: "unhealthy",
      reason: "NodeDeleted",
      texts: ["Node m1 has been deleted"],
    });
  });

  it("is unknown while its Node was not seen", () => {
    expect(judge({ node: "unknown" })).toEqual({ is: "unknown" });
  });
});

describe("a Machine without a Node", () => {
  const created = (time: string, ...conditions: readonly Condition[]) =>
    target("m1", {
      metadata: { creationTimestamp: at(time) },
      status: { nodeRef: undefined, conditions: conditions.length === 0 ? undefined : conditions },
    });
  const late = (seconds: string) => ({
    is: "unhealthy",
    reason: "NodeStartupTimeout",
    texts: [`Node failed to report startup in ${seconds}`],
  });

  it.each([
    ["10 minutes where it is absent", undefined, "11:49:59", late("10m0s")],
    ["10 minutes and not yet over", undefined, "11:50:00", { is: "pending", untilMs: justAfter("12:00:00") }],
    ["switched off by 0", 0, "00:00:00", NEITHER],
    ["as short as it says", 1, "11:59:58", late("1s")],
  ])("has a startup timeout of %s", (...[, nodeStartupTimeoutSeconds, time, verdict]) => {
    const checks = nodeStartupTimeoutSeconds === undefined ? {} : { nodeStartupTimeoutSeconds };
    expect(judge({ checks, machine: created(time), node: "none" })).toEqual(verdict);
  });

  it.each([
    ["the creation of the Machine", upCluster(), created("11:55:00")],
    [
      "the first answer of the control plane",
      upCluster(since(at("11:55:00"), "ControlPlaneInitialized", "True")),
      created("00:00:00"),
    ],
    [
      "the infrastructure of the Cluster",
      upCluster(since(at("11:55:00"), "InfrastructureReady", "True")),
      created("00:00:00"),
    ],
    [
      "the infrastructure of the Machine",
      upCluster(),
      created("00:00:00", since(at("11:55:00"), "InfrastructureReady", "True")),
    ],
  ])("has time from %s on", (_, cluster, machine) => {
    expect(judge({ cluster, machine, node: "none" })).toEqual({
      is: "pending",
      untilMs: justAfter("12:05:00"),
    });
  });

  it("gets no more time from infrastructure that is not ready", () => {
    const machine = created("00:00:00", since(at("11:59:00"), "InfrastructureReady", "False"));
    expect(judge({ machine, node: "none" })).toEqual(late("10m0s"));
  });
});

describe("a condition of the Machine", () => {
  const checks: Checks = {
    nodeStartupTimeoutSeconds: 600,
    unhealthyMachineConditions: [
      { type: "DiskHealthy", status: "False", timeoutSeconds: 60 },
      { type: "example.com/Fan", status: "Unknown", timeoutSeconds: 0 },
    ],
  };
  const withConditions = (...conditions: readonly Condition[]) => target("m1", { status: { conditions } });
  const disk = (time: string) => since(at(time), "DiskHealthy", "False", "Broken");
  const DISK =
    "Condition DiskHealthy on Machine is reporting status False with reason Broken for more than 1m0s";

  it("makes it unhealthy after its timeout, not before, and not when it is absent", () => {
    expect(judge({ checks, machine: withConditions(disk("11:58:59")) })).toEqual({
      is: "unhealthy",
      reason: "UnhealthyMachine",
      texts: [DISK],
    });
    expect(judge({ checks, machine: withConditions(disk("11:59:00")) })).toEqual({
      is: "pending",
      untilMs: justAfter("12:00:00"),
    });
    expect(judge({ checks, machine: target() })).toEqual(HEALTHY);
  });

  it("comes before those of the Node, whose reason it takes, and the first deadline of both counts", () => {
    const both: Checks = {
      ...checks,
      unhealthyNodeConditions: [{ type: "Ready", status: "False", timeoutSeconds: 300 }],
    };
    const machine = withConditions(disk("11:00:00"));
    expect(
      judge({ checks: both, machine, node: nodeWith("Ready", "False", at("11:00:00"), "Gone") }),
    ).toEqual({
      is: "unhealthy",
      reason: "UnhealthyMachine",
      texts: [DISK, NOT_READY],
    });
    expect(
      judge({ checks: both, machine, node: nodeWith("Ready", "False", at("11:59:00"), "Gone") }),
    ).toEqual({
      is: "unhealthy",
      reason: "UnhealthyMachine",
      texts: [DISK],
    });
    expect(
      judge({
        checks: both,
        machine: withConditions(disk("11:59:30")),
        node: nodeWith("Ready", "False", at("11:59:00"), "Gone"),
      }),
    ).toEqual({ is: "pending", untilMs: justAfter("12:00:30") });
  });

  it("and a Node that is gone give both texts; with a Node not seen its own alone", () => {
    const machine = withConditions(disk("11:00:00"));
    expect(judge({ checks, machine, node: "missing" })).toEqual({
      is: "unhealthy",
      reason: "UnhealthyMachine",
      texts: [DISK, "Node m1 has been deleted"],
    });
    expect(judge({ checks, machine, node: "unknown" })).toMatchObject({ texts: [DISK] });
    expect(judge({ checks, machine: withConditions(disk("12:00:00")), node: "unknown" })).toEqual({
      is: "unknown",
    });
  });
});

describe("an unhealthy verdict", () => {
  const since = (node: NodeEvidence) => {
    const evidence = { check: healthCheck(), cluster: upCluster(), machine: target(), node };
    return Reflect.get(verdictOf(evidence, NOW), "sinceMs");
  };

  it("says when it began, where that is known", () => {
    expect(since(nodeWith("Ready", "False", at("11:50:00")))).toBe(ms("11:55:00"));
    expect(since(nodeWith("Ready", "False", undefined))).toBeUndefined();
    expect(since("missing")).toBeUndefined();
  });
});

describe("a duration", () => {
  it.each([
    [0, "0s"],
    [30, "30s"],
    [60, "1m0s"],
    [90, "1m30s"],
    [300, "5m0s"],
    [600, "10m0s"],
    [3_600, "1h0m0s"],
    [3_661, "1h1m1s"],
    [86_400, "24h0m0s"],
    [2_147_483_647, "596523h14m7s"],
  ])("of %i seconds is %s in Go's words", (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});
