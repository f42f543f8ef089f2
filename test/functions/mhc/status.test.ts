import { describe, expect, it } from "vitest";
import { mhcStatus } from "../../../functions/mhc/status.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { MachineHealthCheck, MachineHealthCheckStatus } from "../../../shared/api/machinehealthcheck.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { conditionOf, timestamp } from "../../../shared/rules/conditions/conditions.ts";
import { cluster, connection, crd, merge, node, type Overrides } from "../../support/builders.ts";
import { at, badNode, checkedWorld, failed, LONG_AGO, machineWith } from "../../support/checked-machines.ts";
import { REMEDIATION_CRDS, REMEDIATION_GROUP, templateRef } from "../../support/foo-remediation.ts";
import { healthCheck, since, upCluster } from "../../support/health-checks.ts";
import { appliedStatus, decide, given, liveReads, NOW, type World } from "../../support/world.ts";

const LIMIT = { remediation: { triggerIf: { unhealthyLessThanOrEqualTo: 0 } } };
const PAUSED = { annotations: { "cluster.x-k8s.io/paused": "" } };

type Status = MachineHealthCheckStatus;

async function statusIn(of: World): Promise<Status> {
  return appliedStatus<Status>(await decide(mhcStatus, of));
}

function said(status: Status, type: string): readonly (string | undefined)[] {
  const present = conditionOf(status.conditions, type);
  const older = conditionOf(status.deprecated?.v1beta1?.conditions, type);
  return [present?.status, present?.reason, present?.message, older?.status, older?.severity, older?.message];
}

/** The health check with the status that it gets. */
async function settled(overrides: Overrides<MachineHealthCheck>, of: (check: MachineHealthCheck) => World) {
  const check = healthCheck(overrides);
  return merge<MachineHealthCheck>(check, { status: await statusIn(of(check)) });
}

describe("mhc-status", () => {
  const two = (check: MachineHealthCheck) =>
    checkedWorld(check, [machineWith("m2"), machineWith("m1")], [node("m1"), badNode("m2")]);

  it("counts and names the targets, and says that remediation is allowed", async () => {
    const of = two(healthCheck());
    const status = await statusIn(of);
    expect(status).toMatchObject({
      expectedMachines: 2,
      currentHealthy: 1,
      remediationsAllowed: 1,
      targets: ["m1", "m2"],
      observedGeneration: 3,
    });
    expect(said(status, "RemediationAllowed")).toEqual([
      "True",
      "RemediationAllowed",
      "",
      "True",
      undefined,
      undefined,
    ]);
    expect(said(status, "Paused").slice(0, 4)).toEqual(["False", "NotPaused", "", undefined]);
    expect(await liveReads(mhcStatus, of, "h1")).toEqual([]);
  });

  it("writes 0 as a number", async () => {
    expect(await statusIn(checkedWorld(healthCheck(), [], []))).toMatchObject({
      expectedMachines: 0,
      currentHealthy: 0,
      remediationsAllowed: 0,
      targets: [],
    });
  });

  it("says the same again of the same view", async () => {
    const check = await settled({}, two);
    expect(await decide(mhcStatus, two(check))).toEqual({
      apply: { status: check.status },
      events: [],
      notBeforeMs: 20,
      result: done,
    });
  });

  it("looks at many targets at most once a second, and at few of them nearly at once", async () => {
    const names = Array.from({ length: 150 }, (_, index) => `m${index}`);
    const machines = names.map((name) => machineWith(name));
    const many = checkedWorld(
      healthCheck(),
      machines,
      names.map((name) => node(name)),
    );
    expect(await decide(mhcStatus, many)).toMatchObject({ notBeforeMs: 1_000 });
    const few = checkedWorld(healthCheck(), machines.slice(0, 3), []);
    expect(await decide(mhcStatus, few)).toMatchObject({ notBeforeMs: 30 });
    const bad = healthCheck({ spec: { selector: { matchLabels: { "not a key": "a" } } } });
    expect(await decide(mhcStatus, checkedWorld(bad, [], []))).toMatchObject({ notBeforeMs: 0 });
  });

  it("says why nothing is remediated, in both families and once as an Event", async () => {
    const text =
      "Remediation is not allowed, the number of not started or unhealthy machines exceeds maxUnhealthy (total: 2, unhealthy: 1, maxUnhealthy: 0)";
    const { events, result } = await decide(mhcStatus, two(healthCheck({ spec: LIMIT })));
    const occasion = timestamp(NOW);
    expect(events).toEqual([{ type: "Warning", reason: "RemediationRestricted", message: text, occasion }]);
    expect(result).toEqual(done);
    const check = await settled({ spec: LIMIT }, two);
    expect(said(check.status ?? {}, "RemediationAllowed")).toEqual([
      "False",
      "TooManyUnhealthy",
      text,
      "False",
      "Warning",
      text,
    ]);
    expect((await decide(mhcStatus, two(check))).events).toEqual([]);
  });

  it("does not warn of a range that a healthy set does not reach", async () => {
    const spec = { remediation: { triggerIf: { unhealthyInRange: "[1-2]" } } };
    const decision = await decide(
      mhcStatus,
      checkedWorld(healthCheck({ spec }), [machineWith("m1")], [node("m1")]),
    );
    expect(decision.events).toEqual([]);
    expect(said(appliedStatus(decision), "RemediationAllowed")[0]).toBe("False");
  });

  it("comes back at a deadline only while nothing is remediated", async () => {
    const pending = (check: MachineHealthCheck) =>
      checkedWorld(check, [machineWith("m1")], [badNode("m1", at("11:58:00"))]);
    expect((await decide(mhcStatus, pending(healthCheck()))).result).toEqual(done);
    expect((await decide(mhcStatus, pending(healthCheck({ spec: LIMIT })))).result).toEqual(
      requeueAfter(180_001, "the next deadline of a target"),
    );
  });

  it("says why it is paused and leaves the rest as it was", async () => {
    const check = await settled({}, two);
    const paused = merge<MachineHealthCheck>(check, { metadata: PAUSED });
    const of = given(cluster({ spec: { paused: true } }), paused);
    const decision = await decide(mhcStatus, of);
    const status = appliedStatus<Status>(decision);
    expect(said(status, "Paused").slice(0, 3)).toEqual([
      "True",
      "Paused",
      "Cluster spec.paused is set to true, MachineHealthCheck has the cluster.x-k8s.io/paused annotation",
    ]);
    expect({ ...status, conditions: [] }).toEqual({ ...check.status, conditions: [] });
    expect(decision.result).toEqual(waitFor("Cluster.spec.paused"));
  });

  it("keeps counts and generation while the workload cluster is not seen", async () => {
    const check = await settled({}, two);
    const newer = merge<MachineHealthCheck>(check, { metadata: { generation: 4 } });
    const of = given(upCluster(), connection({ status: { nodesComplete: false } }), newer);
    const decision = await decide(mhcStatus, of);
    expect(appliedStatus(decision)).toMatchObject({ expectedMachines: 2, observedGeneration: 3 });
    expect(decision.result).toEqual(waitFor("Connection.status.nodesComplete"));
  });

  it("waits for its Cluster", async () => {
    expect(await decide(mhcStatus, given(healthCheck()))).toEqual({
      result: waitFor("Cluster.metadata.uid"),
    });
  });

  it("waits for the guard while it is young, and raises the generation after it only", async () => {
    const metadata = { labels: {}, creationTimestamp: at("11:59:30") };
    const young = healthCheck({
      metadata: { ...metadata, labels: { "cluster.x-k8s.io/cluster-name": "x" } },
    });
    expect((await decide(mhcStatus, two(young))).apply).toBeUndefined();
    const old = healthCheck({ metadata: { labels: { "cluster.x-k8s.io/cluster-name": "x" } } });
    const status = await statusIn(two(old));
    expect([status.expectedMachines, status.observedGeneration]).toEqual([2, undefined]);
  });

  it.each<[string, Overrides<MachineHealthCheck["spec"]>, RegExp, number | undefined]>([
    ["an empty selector", { selector: { matchLabels: undefined } }, /^spec\.selector: is empty/, undefined],
    [
      "a malformed selector",
      { selector: { matchExpressions: [{ key: "a", operator: "Like" }] } },
      /^spec\.selector: matchExpressions\[0\]\.operator is Like/,
      undefined,
    ],
    [
      "a malformed limit",
      { remediation: { triggerIf: { unhealthyLessThanOrEqualTo: "10" } } },
      /^spec\.remediation\.triggerIf\.unhealthyLessThanOrEqualTo: /,
      2,
    ],
    [
      "a descending range",
      { remediation: { triggerIf: { unhealthyInRange: "[5-3]" } } },
      /^spec\.remediation\.triggerIf\.unhealthyInRange: /,
      2,
    ],
  ])("names the field of %s, once, and does not come back", async (...[, spec, text, count]) => {
    const decision = await decide(mhcStatus, two(healthCheck({ spec })));
    const status = appliedStatus<Status>(decision);
    const [is, reason, message] = said(status, "RemediationAllowed");
    expect([is, reason, status.expectedMachines]).toEqual(["False", "TooManyUnhealthy", count]);
    expect(message).toMatch(text);
    expect(decision.events).toMatchObject([{ type: "Warning", reason: "RemediationRestricted", message }]);
    expect(decision.result).toEqual(done);
    const check = await settled({ spec }, two);
    expect((await decide(mhcStatus, two(check))).events).toEqual([]);
  });
});

describe("the conditions about external remediation", () => {
  const TEMPLATE = "ExternalRemediationTemplateAvailable";
  const REQUEST = "ExternalRemediationRequestAvailable";
  const object = (kind: string, name: string): KubeObject => ({
    apiVersion: templateRef.apiVersion,
    kind,
    metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion: "5" },
  });
  const showing = (reason: string) =>
    machineWith("m1", failed(), {
      ...since(LONG_AGO, "ExternallyRemediated", "False", reason),
      message: "words",
    });
  const of = (check: MachineHealthCheck, reason: string, ...more: readonly KubeObject[]) =>
    checkedWorld(check, [showing(reason)], [badNode("m1")], ...REMEDIATION_CRDS, ...more);
  const spec = { remediation: { templateRef } };

  it.each([
    [TEMPLATE, "RemediationTemplateNotFound", object("FooRemediationTemplate", "t")],
    [REQUEST, "RemediationRequestCreationFailed", object("FooRemediation", "m1")],
  ])("%s is False while a target shows it, and True once it is there", async (type, reason, it) => {
    const check = await settled({ spec }, (plain) => of(plain, reason));
    expect(said(check.status ?? {}, type).slice(3)).toEqual(["False", "Error", "words"]);
    expect(said(await statusIn(of(check, "WaitingForRemediation")), type)[3]).toBe("False");
    expect(said(await statusIn(of(check, "WaitingForRemediation", it)), type)[3]).toBe("True");
    expect(said(await statusIn(of(check, reason, it)), type)[3]).toBe("False");
  });

  it("are absent before anything has failed, and stay while their kinds are not watched", async () => {
    const plain = await statusIn(of(healthCheck({ spec }), "WaitingForRemediation"));
    expect([said(plain, TEMPLATE)[3], said(plain, REQUEST)[3]]).toEqual([undefined, undefined]);
    const check = await settled({ spec }, (of1) => of(of1, "RemediationTemplateNotFound"));
    const unwatched = crd(REMEDIATION_GROUP, "FooRemediationTemplate", { status: { watched: undefined } });
    const template = object("FooRemediationTemplate", "t");
    const later = await statusIn(of(check, "WaitingForRemediation", unwatched, template));
    expect(said(later, TEMPLATE)[3]).toBe("False");
  });

  it("of two health checks each says what it lacks itself, and an Event names the other", async () => {
    const second = healthCheck({ metadata: { name: "z", uid: "uid-z" }, spec });
    const mine = "Error retrieving remediation template FooRemediationTemplate default/t";
    const first = healthCheck({
      spec: { remediation: { templateRef: { ...templateRef, name: "another" } } },
    });
    const both = of(first, "RemediationTemplateNotFound", second);
    const { events, ...later } = await decide(mhcStatus, both, "z");
    expect(said(appliedStatus<Status>(later), TEMPLATE)).toContain(mine);
    expect(events?.[0]).toMatchObject({
      reason: "OverlappingHealthChecks",
      message: expect.stringMatching(/^Machines m1 are targets of MachineHealthCheck h1, too: /),
    });
    const there = of(first, "RemediationTemplateNotFound", second, object("FooRemediationTemplate", "t"));
    expect(said(appliedStatus<Status>(await decide(mhcStatus, there, "z")), TEMPLATE)[3]).toBeUndefined();
  });

  it("a health check without template says nothing of the failures of another one", async () => {
    const reason = "RemediationRequestCreationFailed";
    expect(said(await statusIn(of(healthCheck(), reason)), REQUEST)[3]).toBeUndefined();
    const { status } = await settled({ spec }, (check) => of(check, reason));
    expect(said(status ?? {}, REQUEST)[3]).toBe("False");
    const emptied = await statusIn(of(healthCheck({ status: status ?? {} }), reason));
    expect(said(emptied, REQUEST)[3]).toBeUndefined();
    expect(said(emptied, "RemediationAllowed")[3]).toBe("True");
  });
});
