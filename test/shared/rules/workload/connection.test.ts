import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import type { Condition } from "../../../../shared/api/conditions.ts";
import type { Connection } from "../../../../shared/api/core.ts";
import { connectionReport, reasonReported } from "../../../../shared/rules/workload/connection.ts";
import { cluster, connection } from "../../../support/builders.ts";
import { deletedCluster } from "../../../support/foo-cluster.ts";
import { NOW } from "../../../support/world.ts";

const REFUSED = "10.0.0.1:6443 refuses the connection; check the server";
const NO_SECRET = "kubeconfig Secret default/c1-kubeconfig: key value missing; write it";

function probe(status: "True" | "False", message = ""): Condition {
  return {
    type: "RemoteConnectionProbe",
    status,
    reason: status === "True" ? "ProbeSucceeded" : "ProbeFailed",
    message,
    lastTransitionTime: "2026-01-01T11:00:00Z",
  };
}
const STORED = probe("True");

/** The Cluster with its control plane initialized, and this condition. */
function up(stored: Condition | undefined): Cluster {
  return cluster({
    status: {
      initialization: { controlPlaneInitialized: true },
      conditions: stored === undefined ? undefined : [stored],
    },
  });
}

/** Of a control plane that is not initialized yet. */
function starting(stored?: Condition): Cluster {
  return cluster({
    status: { initialization: undefined, conditions: stored === undefined ? undefined : [stored] },
  });
}

/** Without control plane object, this many seconds old. */
function alone(ageSeconds: number): Cluster {
  const creationTimestamp = new Date(NOW.getTime() - ageSeconds * 1_000).toISOString();
  return cluster({
    metadata: { creationTimestamp },
    spec: { controlPlaneRef: undefined },
    status: undefined,
  });
}

function unreachable(status: Partial<Connection["status"]>): Connection {
  return connection({ status: { state: "unreachable", failures: 1, message: REFUSED, ...status } });
}

const WITHOUT_SECRET = connection({ status: { state: "unknown", nodesComplete: false, message: NO_SECRET } });

function report(of: Cluster, known: Connection | undefined) {
  const { condition, events, expiresInMs } = connectionReport(of, known, NOW);
  const { status, message } = condition;
  return {
    status,
    message,
    events: events.map(({ type, reason, message: text }) => `${type} ${reason} ${text}`),
    expiresInMs,
  };
}
const WARNING = `Warning ConnectionFailed ${REFUSED}`;

describe("reasonReported", () => {
  it("is the reason in the condition while there is no connection", () => {
    const reported = up(probe("False", `Remote connection not established yet: ${REFUSED}: why`));
    expect(reasonReported(reported, undefined)).toBe(`${REFUSED}: why`);
    expect(reasonReported(reported, connection())).toBeUndefined();
    expect(
      reasonReported(up(probe("False", "Remote connection not established yet")), undefined),
    ).toBeUndefined();
    expect(reasonReported(up(STORED), undefined)).toBeUndefined();
  });
});

describe("connectionReport", () => {
  it("is True while connected", () => {
    expect(report(up(undefined), connection())).toEqual({
      status: "True",
      message: "",
      events: [],
      expiresInMs: undefined,
    });
  });

  it("names the hidden Nodes while connected, and reports a single failed probe only as an Event", () => {
    const large = connection({
      status: { nodesComplete: false, message: "2 Nodes are larger than allowed" },
    });
    expect(report(up(STORED), large)).toMatchObject({
      status: "True",
      message: "2 Nodes are larger than allowed",
      events: ["Warning ConnectionFailed 2 Nodes are larger than allowed"],
    });
    const blip = connection({
      status: { failures: 1, message: REFUSED, lastSuccess: "2026-01-01T11:59:30Z" },
    });
    expect(report(up(STORED), blip)).toMatchObject({ status: "True", message: "", events: [WARNING] });
  });

  it.each([
    ["no connection is known", undefined],
    ["nothing has been tried", connection({ status: { state: "unknown" } })],
  ])("says so only if the condition is absent when %s", (_, known) => {
    expect(report(up(undefined), known)).toEqual({
      status: "False",
      message: "Remote connection not established yet",
      events: [],
      expiresInMs: undefined,
    });
    expect(report(up(STORED), known)).toMatchObject({ status: "True", message: "" });
  });

  it("says why from the first failure, with an Event", () => {
    expect(report(up(undefined), unreachable({}))).toEqual({
      status: "False",
      message: `Remote connection not established yet: ${REFUSED}`,
      events: [WARNING],
      expiresInMs: undefined,
    });
  });

  it("keeps True for four failures of a relay that has just started", () => {
    expect(report(up(STORED), unreachable({ failures: 4 }))).toMatchObject({ status: "True", message: "" });
    expect(report(up(STORED), unreachable({ failures: 5 }))).toMatchObject({
      status: "False",
      message: `Remote connection probe failed: ${REFUSED}`,
    });
  });

  it("keeps what an earlier relay has found out, with the reason of today", () => {
    const known = "Remote connection probe failed, probe last succeeded at 2026-01-01T10:00:00Z";
    for (const failures of [1, 5]) {
      const { message } = report(up(probe("False", `${known}: another reason`)), unreachable({ failures }));
      expect(message).toBe(`${known}: ${REFUSED}`);
    }
  });

  it("is False when the Secret has gone, within the grace period of a connection that worked", () => {
    expect(report(up(STORED), WITHOUT_SECRET)).toMatchObject({
      status: "False",
      message: `Remote connection probe failed: ${NO_SECRET}`,
      events: [`Warning ConnectionFailed ${NO_SECRET}`],
    });
    const young = connection({ status: { ...WITHOUT_SECRET.status, lastSuccess: "2026-01-01T11:59:11Z" } });
    expect(report(up(STORED), young)).toMatchObject({ status: "True", expiresInMs: 1_000 });
  });

  it.each([
    ["does not exist", {}, "the controller of FooControlPlane default/c1-control-plane writes it"],
    [
      "does not exist",
      { controlPlaneRef: undefined },
      "Capstan issues it from Secret default/c1-ca, or write it",
    ],
    [", key value: the client certificate expired at 2026-01-01T00:00:00Z", {}, "renews it"],
    [
      ", key value: the client certificate expired at 2026-01-01T00:00:00Z",
      { controlPlaneRef: undefined },
      "Capstan issues it from Secret default/c1-ca again once it is deleted",
    ],
  ])("says who writes a kubeconfig Secret that %s, for %j", (problem, spec, who) => {
    const message = `kubeconfig Secret default/c1-kubeconfig${problem.startsWith(",") ? "" : " "}${problem}`;
    const status = { state: "unreachable", failures: 5, nodesComplete: false, message } as const;
    const reported = report(cluster({ spec }), connection({ status })).message;
    expect(reported).toContain(`: ${message}; `);
    expect(reported).toContain(who);
    expect(reported).not.toContain("spec.controlPlaneRef");
  });

  it("is True within 50 s of the last success, reports it, and comes back when they are over", () => {
    const failing = unreachable({ lastSuccess: "2026-01-01T11:59:11Z" });
    expect(report(up(STORED), failing)).toEqual({
      status: "True",
      message: "",
      events: [WARNING],
      expiresInMs: 1_000,
    });
  });

  it("is False from 50 s after the last success", () => {
    const failing = unreachable({ lastSuccess: "2026-01-01T11:59:10Z" });
    expect(report(up(STORED), failing)).toEqual({
      status: "False",
      message: `Remote connection probe failed, probe last succeeded at 2026-01-01T11:59:10Z: ${REFUSED}`,
      events: [WARNING],
      expiresInMs: undefined,
    });
  });

  it("does not blame Secret or server while the control plane comes up, until five attempts have failed", () => {
    const silent = { status: "False", message: "Remote connection not established yet", events: [] };
    expect(report(starting(), WITHOUT_SECRET)).toMatchObject(silent);
    expect(report(starting(), unreachable({ failures: 4 }))).toMatchObject(silent);
    expect(report(starting(), unreachable({ failures: 5 }))).toMatchObject({
      message: `Remote connection probe failed: ${REFUSED}`,
      events: [WARNING],
    });
  });

  it("waits 10 s for the Secret of a Cluster without control plane object, but no failure is waited out", () => {
    expect(report(alone(8), WITHOUT_SECRET)).toEqual({
      status: "False",
      message: "Remote connection not established yet",
      events: [],
      expiresInMs: 2_000,
    });
    expect(report(alone(10), WITHOUT_SECRET)).toMatchObject({
      message: `Remote connection not established yet: ${NO_SECRET}`,
      events: [`Warning ConnectionFailed ${NO_SECRET}`],
      expiresInMs: undefined,
    });
    expect(report(alone(1), unreachable({}))).toMatchObject({ events: [WARNING] });
  });

  it("reports nothing while the Cluster is being deleted", () => {
    const failing = unreachable({ lastSuccess: "2026-01-01T11:59:10Z" });
    expect(report(deletedCluster(), failing)).toMatchObject({
      status: "False",
      message: "Remote connection probe failed, probe last succeeded at 2026-01-01T11:59:10Z",
      events: [],
    });
  });

  it("says the same again as long as the reason is the same", () => {
    const failing = unreachable({ failures: 5 });
    const { condition } = connectionReport(up(undefined), failing, NOW);
    const again = connectionReport(
      up({ ...STORED, ...condition }),
      failing,
      new Date(NOW.getTime() + 3_600_000),
    );
    expect(again.condition).toEqual(condition);
  });
});
