import { describe, expect, it } from "vitest";
import type { Condition } from "../../../shared/api/conditions.ts";
import type { Connection } from "../../../shared/api/core.ts";
import { connectionReport } from "../../../shared/rules/cluster-connection.ts";
import { connection } from "../../support/builders.ts";
import { NOW } from "../../support/world.ts";

const STORED: Condition = {
  type: "RemoteConnectionProbe",
  status: "True",
  reason: "ProbeSucceeded",
  message: "",
  lastTransitionTime: "2026-01-01T11:00:00Z",
};

function unreachable(status: Partial<Connection["status"]>): Connection {
  return connection({ status: { state: "unreachable", failures: 1, ...status } });
}

function report(stored: Condition | undefined, known: Connection | undefined) {
  const { condition, expiresInMs } = connectionReport(stored, known, NOW);
  return { status: condition.status, message: condition.message, expiresInMs };
}

describe("connectionReport", () => {
  it("is True while connected", () => {
    expect(report(undefined, connection())).toEqual({ status: "True", message: "", expiresInMs: undefined });
  });

  it.each([
    ["no connection is known", undefined],
    ["the state is unknown", connection({ status: { state: "unknown" } })],
    ["it never succeeded and failed four times", unreachable({ failures: 4 })],
  ])("says so only if the condition is absent when %s", (_, known) => {
    expect(report(undefined, known)).toEqual({
      status: "False",
      message: "Remote connection not established yet",
      expiresInMs: undefined,
    });
    expect(report(STORED, known)).toMatchObject({ status: "True", message: "" });
  });

  it("is False when it never succeeded in five attempts", () => {
    expect(report(STORED, unreachable({ failures: 5 }))).toMatchObject({
      status: "False",
      message: "Remote connection probe failed",
    });
  });

  it("is True within 50 s of the last success, and comes back when they are over", () => {
    const failing = unreachable({ lastSuccess: "2026-01-01T11:59:11Z" });
    expect(report(STORED, failing)).toEqual({ status: "True", message: "", expiresInMs: 1_000 });
  });

  it("is False from 50 s after the last success", () => {
    const failing = unreachable({ lastSuccess: "2026-01-01T11:59:10Z" });
    expect(report(STORED, failing)).toEqual({
      status: "False",
      message: "Remote connection probe failed, probe last succeeded at 2026-01-01T11:59:10Z",
      expiresInMs: undefined,
    });
  });
});
