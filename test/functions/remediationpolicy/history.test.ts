import { describe, expect, it } from "vitest";
import { remediationpolicyHistory } from "../../../functions/remediationpolicy/history.ts";
import { PAUSED_ANNOTATION } from "../../../shared/api/indexes.ts";
import type { RemediationPolicy } from "../../../shared/api/remediation-policy.ts";
import type { AnyDecision } from "../../../shared/function/define-function.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster } from "../../support/builders.ts";
import { at, failed, machineWith, succeeded } from "../../support/checked-machines.ts";
import { patched } from "../../support/patched.ts";
import { entryOf, remediationPolicy } from "../../support/remediation-policies.ts";
import { decide, given, liveReads } from "../../support/world.ts";

const entered = remediationPolicy({
  status: { underWay: 2, remediations: [entryOf("m1"), entryOf("m2")] },
});
const statusAfter = ({ patch = [] }: AnyDecision, policy: RemediationPolicy) =>
  patched(
    policy,
    patch.flatMap(({ operations }) => operations),
  ).status;

describe("remediationpolicy-history", () => {
  it("gives entries their outcome, in the version that it has read, and counts those under way", async () => {
    const world = given(
      cluster(),
      entered,
      machineWith("m1", succeeded(at("11:30:00"))),
      machineWith("m2", failed(at("10:59:00"))),
    );
    const decision = await decide(remediationpolicyHistory, world);
    expect(decision.patch).toMatchObject([{ target: { name: "r1", resourceVersion: "70" } }]);
    // Part of the object itself: only that moves.
    expect(decision.patch?.[0]).not.toHaveProperty("subresource");
    expect(statusAfter(decision, entered)).toMatchObject({
      underWay: 1,
      remediations: [{ outcome: "Recovered", endedAt: at("11:30:00") }, entryOf("m2")],
    });
  });

  it("says Deleted only after the server has said that the Machine is gone", async () => {
    const m2 = machineWith("m2", failed(at("10:59:00")));
    const world = given(cluster(), entered, m2);
    expect(
      statusAfter(await decide(remediationpolicyHistory, world), entered)?.remediations?.[0],
    ).toMatchObject({
      outcome: "Deleted",
    });
    expect(await liveReads(remediationpolicyHistory, world, "r1")).toEqual(["get Machine m1"]);
    const late = world.live(machineWith("m1", failed(at("10:59:00"))));
    expect(await decide(remediationpolicyHistory, late)).toEqual({ result: done });
  });

  it("sends nothing when nothing has ended, and asks no server about entries that have", async () => {
    expect(await decide(remediationpolicyHistory, given(cluster(), remediationPolicy()))).toEqual({
      result: done,
    });
    const over = remediationPolicy({
      status: { underWay: 0, remediations: [entryOf("m1", { outcome: "Deleted", endedAt: at("11:30:00") })] },
    });
    expect(await decide(remediationpolicyHistory, given(cluster(), over))).toEqual({ result: done });
    expect(await liveReads(remediationpolicyHistory, given(cluster(), over), "r1")).toEqual([]);
  });

  it("says nothing while the policy or its Cluster is paused", async () => {
    const recovered = machineWith("m1", succeeded(at("11:30:00")));
    const paused = cluster({ spec: { paused: true } });
    expect(await decide(remediationpolicyHistory, given(entered, recovered, paused))).toEqual({
      result: waitFor("Cluster.spec.paused"),
    });
    const byHand = remediationPolicy({
      metadata: { annotations: { [PAUSED_ANNOTATION]: "" } },
      status: { underWay: 1, remediations: [entryOf("m1")] },
    });
    expect(await decide(remediationpolicyHistory, given(cluster(), byHand, recovered))).toEqual({
      result: waitFor(`RemediationPolicy.metadata.annotations[${PAUSED_ANNOTATION}]`),
    });
  });

  it("finds the Machines of a moved history again by their names, once the move is over", async () => {
    const ended = { outcome: "Deleted", endedAt: at("11:20:00") } as const;
    const moved = remediationPolicy({
      status: {
        policyUID: "uid-elsewhere",
        underWay: 2,
        remediations: ["m1", "m2", "m3"].map((name) =>
          entryOf(name, {
            machine: { name, uid: `uid-${name}-elsewhere` },
            ...(name === "m3" ? ended : {}),
            ...(name === "m2" ? { outcome: "Escalated" } : {}),
          }),
        ),
      },
    });
    const machines = ["m1", "m2"].map((name) => machineWith(name));
    const paused = cluster({ spec: { paused: true } });
    expect(await decide(remediationpolicyHistory, given(moved))).toEqual({
      result: waitFor("Cluster.metadata.uid"),
    });
    expect(await decide(remediationpolicyHistory, given(moved, paused))).toEqual({
      result: waitFor("Cluster.spec.paused"),
    });

    // No snapshot has the Machines yet: the server is asked.
    const world = machines.reduce((before, each) => before.live(each), given(cluster(), moved));
    const taken = statusAfter(await decide(remediationpolicyHistory, world), moved);
    expect(taken).toEqual({
      policyUID: "uid-r1",
      underWay: 0,
      remediations: [
        entryOf("m1", { outcome: "Withdrawn", endedAt: at("12:00:00") }),
        entryOf("m2", { outcome: "Escalated", endedAt: at("12:00:00") }),
        entryOf("m3", { machine: { name: "m3", uid: "uid-m3-elsewhere" }, ...ended }),
      ],
    });
    const now = remediationPolicy({ status: taken });
    expect(await decide(remediationpolicyHistory, given(cluster(), now, ...machines))).toEqual({
      result: done,
    });
  });

  it("records failed checks on request", async () => {
    const policy = remediationPolicy({ spec: { history: { recordVerdicts: true } } });
    const decision = await decide(
      remediationpolicyHistory,
      given(cluster(), policy, machineWith("m1", failed(at("10:59:00")))),
    );
    expect(statusAfter(decision, policy)?.verdicts).toMatchObject([
      { machine: { name: "m1" }, failedAt: at("10:59:00") },
    ]);
  });
});
