import { describe, expect, it } from "vitest";
import { mhcMachines } from "../../../../functions/mhc/machines.ts";
import { mhcRequests } from "../../../../functions/mhc/requests.ts";
import { mayEscalate } from "../../../../functions/mhc/rules/given-up.ts";
import type { Verdict } from "../../../../functions/mhc/rules/verdict.ts";
import { escalatesAtMs } from "../../../../functions/remediationpolicy/rules/binding.ts";
import type { Condition } from "../../../../shared/api/conditions.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { RemediationPolicy } from "../../../../shared/api/remediation-policy.ts";
import type { AnyDecision } from "../../../../shared/function/define-function.ts";
import { requeueAfter } from "../../../../shared/function/result.ts";
import { crd, merge } from "../../../support/builders.ts";
import {
  at,
  badNode,
  checkedWorld,
  failed,
  LONG_AGO,
  machineAfter,
  machineWith,
  saidOf,
  succeeded,
} from "../../../support/checked-machines.ts";
import { healthCheck, since } from "../../../support/health-checks.ts";
import { entryOf, remediationPolicy } from "../../../support/remediation-policies.ts";
import { simRemediation } from "../../../support/sim.ts";
import { decide, liveReads } from "../../../support/world.ts";

const GROUP = "infrastructure.sim.capstan.dev";
const VERSION = { spec: { versions: [{ name: "v1beta2", served: true }] } };
const DEFINITIONS = ["SimRemediation", "SimRemediationTemplate"].map((kind) => crd(GROUP, kind, VERSION));
const templateRef = { apiVersion: `${GROUP}/v1beta2`, kind: "SimRemediationTemplate", name: "t" };
const TEMPLATE: KubeObject = {
  apiVersion: `${GROUP}/v1beta2`,
  kind: "SimRemediationTemplate",
  metadata: { name: "t", namespace: "default", uid: "uid-t" },
};
const EXTERNAL = healthCheck({ spec: { remediation: { templateRef } } });
const marked = since(LONG_AGO, "ExternallyRemediated", "False", "WaitingForRemediation");
const TEXT = "Condition Ready on Node is reporting status False with reason Gone for more than 5m0s";
/** A Machine of which all is said that a health check says about it. */
function ill(name: string, ...more: readonly Condition[]): Machine {
  const reported = { ...failed(), message: `Health check failed:\n  * ${TEXT}`, observedGeneration: 1 };
  const older = {
    type: reported.type,
    status: "False",
    severity: "Warning",
    reason: reported.reason,
    message: TEXT,
  };
  const conditions = [{ ...older, lastTransitionTime: LONG_AGO }];
  return merge(machineWith(name, reported, ...more), { status: { deprecated: { v1beta1: { conditions } } } });
}
const ENTERED = { status: { remediations: [entryOf("m1", { failedAt: LONG_AGO })], underWay: 1 } };

function world(
  check: ReturnType<typeof healthCheck>,
  machines: readonly Machine[],
  ...more: readonly KubeObject[]
) {
  const nodes = machines.map(({ metadata: { name } }) => badNode(name));
  return checkedWorld(check, machines, nodes, ...DEFINITIONS, TEMPLATE, ...more);
}

const patchedKinds = ({ patch = [] }: AnyDecision) =>
  patch.map(({ target: { kind, name } }) => `${kind.kind} ${name}`);
const policy = (spec: Partial<RemediationPolicy["spec"]>, more = {}) => remediationPolicy({ spec, ...more });

describe("mhc-machines under a policy", () => {
  it("enters a Machine first, and hands it over in the run that this wakes, also without a limit", async () => {
    const machine = ill("m1");
    const first = await decide(mhcMachines, world(healthCheck(), [machine], remediationPolicy()));
    expect(patchedKinds(first)).toEqual(["RemediationPolicy r1"]);
    const second = await decide(mhcMachines, world(healthCheck(), [machine], policy({}, ENTERED)));
    expect(patchedKinds(second)).toEqual(["Machine m1"]);
    expect(saidOf(machineAfter(second, machine), "OwnerRemediated")[0]).toBe("False");
  });

  it("says first that the check has failed, as with a limit, and then reads the policies live", async () => {
    const of = world(healthCheck(), [machineWith("m1")], remediationPolicy());
    const { patch } = await decide(mhcMachines, of);
    expect(patchedKinds({ patch } as AnyDecision)).toEqual(["Machine m1"]);
    expect(
      await liveReads(mhcMachines, world(healthCheck(), [ill("m1")], remediationPolicy()), "h1"),
    ).toEqual([
      "get MachineHealthCheck h1",
      "get Cluster c1",
      "list Machine",
      "get Node m1",
      "list RemediationPolicy",
    ]);
    const quorum = world(healthCheck(), [ill("m1")], policy({ controlPlaneQuorum: true }));
    expect((await liveReads(mhcMachines, quorum, "h1")).slice(-2)).toEqual([
      "list RemediationPolicy",
      "list Machine",
    ]);
  });

  it("is bound by policies of its Cluster that name it or name none", async () => {
    const free = [
      policy({ healthChecks: ["h2"] }),
      policy({ clusterName: "c2" }),
      policy({}, { metadata: { deletionTimestamp: LONG_AGO, finalizers: ["x"] } }),
    ];
    for (const other of free) {
      expect(patchedKinds(await decide(mhcMachines, world(healthCheck(), [ill("m1")], other)))).toEqual([
        "Machine m1",
      ]);
    }
    const named = policy({ healthChecks: ["h0", "h1"] });
    expect(patchedKinds(await decide(mhcMachines, world(healthCheck(), [ill("m1")], named)))).toEqual([
      "RemediationPolicy r1",
    ]);
  });

  it("waits for as long as a policy refuses, and says which and why", async () => {
    const pacing = { maxRemediations: 1, windowSeconds: 3_600 };
    const busy = policy(
      { pacing },
      { status: { remediations: [entryOf("m9", { startedAt: at("11:30:00") })] } },
    );
    const { patch, events, result } = await decide(mhcMachines, world(healthCheck(), [ill("m1")], busy));
    expect(patch).toEqual([]);
    expect(events).toMatchObject([
      {
        type: "Warning",
        reason: "RemediationBlocked",
        message:
          "Remediation of m1 waits for RemediationPolicy r1: 1 remediations have begun within 3600 s (spec.pacing)",
        occasion: LONG_AGO,
      },
    ]);
    expect(result).toEqual(requeueAfter(1_800_000, "the hand-over"));
  });

  it("leaves a Machine with the annotation hold-remediation, and says so, with or without a policy", async () => {
    const annotations = { "capstan.dev/hold-remediation": "by-team-a" };
    const held = merge(ill("m1"), { metadata: { annotations } });
    const { patch, events } = await decide(mhcMachines, world(healthCheck(), [held]));
    expect(patch).toEqual([]);
    expect(events).toMatchObject([
      {
        reason: "RemediationBlocked",
        message: "Remediation by default/h1 waits until annotation capstan.dev/hold-remediation is removed",
        about: { kind: "Machine", metadata: { name: "m1" } },
        occasion: LONG_AGO,
      },
    ]);
  });

  it("says nothing of the annotation before the condition has failed, and after the hand-over", async () => {
    const annotations = { "capstan.dev/hold-remediation": "" };
    const handedOver = await decide(mhcMachines, world(healthCheck(), [ill("m1")]));
    for (const machine of [machineWith("m1"), machineAfter(handedOver, ill("m1"))]) {
      const held = merge(machine, { metadata: { annotations } });
      expect((await decide(mhcMachines, world(healthCheck(), [held]))).events).toEqual([]);
    }
  });

  it("takes a Machine from an external controller that has had its time", async () => {
    const machine = ill("m1", marked);
    const late = policy({ escalation: { afterSeconds: 600 } });
    const decision = await decide(mhcMachines, world(EXTERNAL, [machine], late, simRemediation("m1")));
    expect(saidOf(machineAfter(decision, machine), "OwnerRemediated")).toEqual([
      "False",
      "WaitingForRemediation",
      "False",
      "WaitingForRemediation",
    ]);
    const soon = policy({ escalation: { afterSeconds: 7_260 } });
    const waiting = await decide(mhcMachines, world(EXTERNAL, [machine], soon, simRemediation("m1")));
    expect(waiting).toMatchObject({ patch: [], result: requeueAfter(60_000, "the hand-over") });
    const repaired = world(EXTERNAL, [machine], late, simRemediation("m1")).goneLive(simRemediation("m1"));
    expect((await decide(mhcMachines, repaired)).patch).toEqual([]);
  });
});

describe("mhc-requests under a policy", () => {
  it("enters a Machine first, and makes its request in the run that this wakes", async () => {
    const machine = ill("m1", marked);
    const first = await decide(mhcRequests, world(EXTERNAL, [machine], remediationPolicy()));
    expect([patchedKinds(first), first.create]).toEqual([["RemediationPolicy r1"], []]);
    const second = await decide(mhcRequests, world(EXTERNAL, [machine], policy({}, ENTERED)));
    expect([patchedKinds(second), second.create?.length]).toEqual([[], 1]);
  });

  it("makes none while a policy refuses", async () => {
    const spent = policy({ retries: { perMachine: 0, windowSeconds: 60 } });
    const { create, patch, events } = await decide(mhcRequests, world(EXTERNAL, [ill("m1", marked)], spent));
    expect([create, patch]).toEqual([[], []]);
    expect(events?.map(({ reason }) => reason)).toEqual(["RemediationBlocked"]);
  });
});

const UNHEALTHY: Verdict = { is: "unhealthy", reason: "UnhealthyNode", texts: [] };
type Escalation = NonNullable<RemediationPolicy["spec"]["escalation"]>;

function escalates(
  escalation: Escalation,
  {
    machine = machineWith("m1", failed()),
    request = simRemediation("m1") as KubeObject,
    verdict = UNHEALTHY,
  } = {},
) {
  if (!mayEscalate({ machine, verdict }, request)) return undefined;
  return escalatesAtMs([remediationPolicy(), remediationPolicy({ spec: { escalation } })], request);
}

describe("escalation to the owner of a Machine", () => {
  it("when its request is too old: the request was made at 10:00", () => {
    expect(escalates({ afterSeconds: 600 })).toBe(Date.parse(at("10:10:00")));
  });

  it("when its request is in a phase or condition that the policy names", () => {
    const given = (status: object) =>
      merge<KubeObject>(simRemediation("m1"), { status } as Partial<KubeObject>);
    expect(escalates({ phases: ["Failed"] }, { request: given({ phase: "Failed" }) })).toBe(
      Number.NEGATIVE_INFINITY,
    );
    expect(escalates({ phases: ["Failed"] }, { request: given({ phase: "Waiting" }) })).toBeUndefined();
    const conditions = [{ type: "Succeeded", status: "False" as const }];
    const said = (status: unknown) => given({ conditions: [{ type: "Succeeded", status }] });
    expect(escalates({ conditions }, { request: said("False") })).toBe(Number.NEGATIVE_INFINITY);
    for (const status of ["True", "Unknown", false, { a: 1 }]) {
      expect(escalates({ conditions }, { request: said(status) })).toBeUndefined();
    }
    expect(escalates({ phases: ["Failed"] }, { request: given({ phase: ["Failed"] }) })).toBeUndefined();
  });

  it("not of a Machine that is healthy, goes already, or is with its owner", () => {
    const policy = { afterSeconds: 60 };
    expect(escalates(policy, { machine: machineWith("m1", succeeded()) })).toBeUndefined();
    expect(escalates(policy, { verdict: { is: "healthy" } as never })).toBeUndefined();
    const going = merge(machineWith("m1", failed()), {
      metadata: { deletionTimestamp: LONG_AGO, finalizers: ["x"] },
    });
    expect(escalates(policy, { machine: going })).toBeUndefined();
    const withOwner = machineWith("m1", failed(), since(LONG_AGO, "OwnerRemediated", "False"));
    expect(escalates(policy, { machine: withOwner })).toBeUndefined();
  });

  it("not for a request that is being deleted or of an earlier Machine", () => {
    const policy = { afterSeconds: 60 };
    const going = simRemediation("m1", { metadata: { deletionTimestamp: LONG_AGO } });
    expect(escalates(policy, { request: going })).toBeUndefined();
    const earlier = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", name: "m1", uid: "earlier" };
    const former = simRemediation("m1", { metadata: { ownerReferences: [earlier] } });
    expect(escalates(policy, { request: former })).toBeUndefined();
  });
});
