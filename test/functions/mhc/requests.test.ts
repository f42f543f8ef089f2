import { describe, expect, it } from "vitest";
import { mhcRequests } from "../../../functions/mhc/requests.ts";
import { PAUSED_ANNOTATION } from "../../../shared/api/indexes.ts";
import { type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type { AnyDecision } from "../../../shared/function/define-function.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { connection, crd, merge, node, type Overrides } from "../../support/builders.ts";
import {
  at,
  badNode,
  checkedWorld,
  failed,
  forbidden,
  LONG_AGO,
  machineWith,
  succeeded,
} from "../../support/checked-machines.ts";
import {
  fooRemediation,
  machineOwner,
  REMEDIATION_CRDS,
  REMEDIATION_GROUP,
  templateRef,
} from "../../support/foo-remediation.ts";
import { healthCheck, since, upCluster } from "../../support/health-checks.ts";
import { patched } from "../../support/patched.ts";
import { decide, given, liveReads, type World } from "../../support/world.ts";

function checkWith(remediation: object = {}, overrides: Overrides<MachineHealthCheck> = {}) {
  return healthCheck(merge({ spec: { remediation: { templateRef, ...remediation } } }, overrides));
}

/** At most so many Machines may be not healthy. */
const upTo = (unhealthyLessThanOrEqualTo: number | string) =>
  checkWith({ triggerIf: { unhealthyLessThanOrEqualTo } });

function template(template?: object, overrides: Overrides<KubeObject> = {}): KubeObject {
  const spec = template === undefined ? {} : { spec: { template } };
  const metadata = { name: "t", namespace: "default", uid: "uid-t", resourceVersion: "7" };
  return merge<KubeObject>(
    { apiVersion: `${REMEDIATION_GROUP}/v1`, kind: "FooRemediationTemplate", metadata, ...spec },
    overrides,
  );
}
const T = template({ spec: { strategy: "Reboot" } });

const marked = (reason = "WaitingForRemediation", time = LONG_AGO) =>
  since(time, "ExternallyRemediated", "False", reason);
/** Unhealthy, marked for an external controller, with its Node. */
const ill = (name: string) => machineWith(name, failed(), marked());

function world(
  check: MachineHealthCheck,
  machines: readonly Machine[],
  ...more: readonly KubeObject[]
): World {
  const nodes = machines.map((machine) => {
    const isIll = conditionOf(machine.status?.conditions, "HealthCheckSucceeded")?.status === "False";
    return isIll ? badNode(machine.metadata.name) : node(machine.metadata.name);
  });
  return checkedWorld(check, machines, nodes, ...REMEDIATION_CRDS, ...more);
}

const decided = (to: World) => decide(mhcRequests, to);
const created = ({ create }: AnyDecision) => create?.map(({ object }) => object.metadata.name);
const deleted = ({ delete: all }: AnyDecision) =>
  all?.map(({ target: { kind, name } }) => `${kind.kind} ${name}`);
const NOTHING = { create: [], patch: [], delete: [], events: [] };

/** Reason and message of ExternallyRemediated after the patches of a decision. */
function saidOf({ patch }: AnyDecision, machine: Machine): readonly (string | undefined)[] {
  const own = patch?.filter(({ target: { name } }) => name === machine.metadata.name) ?? [];
  const { status } = patched(
    machine,
    own.flatMap(({ operations }) => operations),
  );
  const { reason, message } = conditionOf(status?.conditions, "ExternallyRemediated") ?? {};
  return [reason, message];
}

const refusal = forbidden(
  'fooremediations is forbidden: User "capstan" cannot list resource "fooremediations"',
);

describe("mhc-requests makes a request", () => {
  it("for a Machine that waits for one, from the template as the server has it", async () => {
    const decision = await decided(world(checkWith(), [ill("m1")], T));
    expect(decision.create).toMatchObject([
      {
        object: {
          apiVersion: `${REMEDIATION_GROUP}/v1`,
          kind: "FooRemediation",
          metadata: {
            name: "m1",
            namespace: "default",
            labels: { "cluster.x-k8s.io/cluster-name": "c1" },
            annotations: {
              "cluster.x-k8s.io/cloned-from-name": "t",
              "cluster.x-k8s.io/cloned-from-groupkind": `FooRemediationTemplate.${REMEDIATION_GROUP}`,
            },
            ownerReferences: [machineOwner("m1")],
          },
          spec: { strategy: "Reboot" },
        },
        announces: {
          type: "Normal",
          reason: "MachineMarkedUnhealthy",
          message: "Machine default/m1 has been marked as unhealthy by default/h1",
          about: { kind: "Machine" },
          related: { kind: "FooRemediation", name: "m1" },
          occasion: LONG_AGO,
        },
      },
    ]);
    expect(decision).toMatchObject({ patch: [], delete: [], events: [], result: done });
  });

  it("after live reads of the health check, its Cluster, Machines, requests, Nodes, then the template", async () => {
    expect(await liveReads(mhcRequests, world(checkWith(), [ill("m1")], T), "h1")).toEqual([
      "get MachineHealthCheck h1",
      "get Cluster c1",
      "list Machine",
      "list FooRemediation",
      "get Node m1",
      "referenced FooRemediationTemplate t",
    ]);
  });

  it("from a template without content", async () => {
    const { create } = await decided(world(checkWith(), [ill("m1")], template()));
    expect(create?.[0]?.object).not.toHaveProperty("spec");
  });

  it("with the name of the Node for a controller of Medik8s, whose CRDs have no contract label", async () => {
    const group = "fence-agents-remediation.medik8s.io";
    const plain = { metadata: { labels: undefined } };
    const definitions = ["FooRemediation", "FooRemediationTemplate"].map((kind) => crd(group, kind, plain));
    const reference = { ...templateRef, apiVersion: `${group}/v1` };
    const check = checkWith({ templateRef: reference });
    const own = template({ spec: {} }, { apiVersion: `${group}/v1` });
    const { create } = await decided(world(check, [ill("m1")], own, ...definitions));
    expect(create).toMatchObject([
      {
        kind: { group },
        object: { metadata: { annotations: { "remediation.medik8s.io/node-name": "m1" } } },
      },
    ]);
  });

  it("not before mhc-machines has said so, and not for a healthy or a skipped Machine", async () => {
    const unmarked = machineWith("m1", failed());
    expect(await decided(world(checkWith(), [unmarked], T))).toMatchObject(NOTHING);
    const healthy = machineWith("m1", succeeded(), marked());
    expect(await decided(world(checkWith(), [healthy], T))).toMatchObject(NOTHING);
    const skipped = merge(ill("m1"), {
      metadata: { annotations: { "cluster.x-k8s.io/skip-remediation": "" } },
    });
    expect(await decided(world(checkWith(), [skipped], T))).toMatchObject(NOTHING);
  });

  it("no change wakes it for a health check without template, for which it decides nothing", async () => {
    expect(mhcRequests.spec.isIdle?.(healthCheck())).toBe(true);
    expect(mhcRequests.spec.isIdle?.(checkWith())).toBe(false);
    expect(await decide(mhcRequests, world(healthCheck(), [ill("m1")]))).toEqual({ result: done });
  });

  it("not twice, and for others all the same: one that exists is left alone", async () => {
    const machines = [ill("m1"), ill("m2")];
    expect(created(await decided(world(checkWith(), machines, T, fooRemediation("m1"))))).toEqual(["m2"]);
    // The snapshot does not show it yet.
    const late = world(checkWith(), [ill("m1")], T).live(fooRemediation("m1"));
    expect(await decided(late)).toMatchObject(NOTHING);
  });

  it("nothing while a former request of the Machine terminates", async () => {
    const going = fooRemediation("m1", { deletionTimestamp: LONG_AGO, finalizers: ["x"] });
    expect(await decided(world(checkWith(), [ill("m1")], T, going))).toMatchObject(NOTHING);
  });

  it("says which object of another owner stands in the way", async () => {
    const former = fooRemediation("m1", { ownerReferences: [machineOwner("m1", "uid-earlier")] });
    const { events, create, delete: all } = await decided(world(checkWith(), [ill("m1")], T, former));
    expect([create, all]).toEqual([[], []]);
    expect(events).toMatchObject([
      {
        type: "Warning",
        reason: "RemediationBlocked",
        message: expect.stringContaining("until FooRemediation m1 is gone"),
      },
    ]);
  });

  it("advises another template, and no deletion, where Machines consist of what stands in the way", async () => {
    const infrastructureRef = { apiGroup: REMEDIATION_GROUP, kind: "FooRemediation", name: "m1" };
    const own = merge(ill("m1"), { spec: { infrastructureRef } });
    const unadopted = fooRemediation("m1", { ownerReferences: undefined });
    const { events, create, delete: all } = await decided(world(checkWith(), [own], T, unadopted));
    expect([create, all]).toEqual([[], []]);
    expect(events).toEqual([
      {
        type: "Warning",
        reason: "RemediationBlocked",
        message:
          "Remediation waits for another spec.remediation.templateRef: Machines consist of FooRemediation m1, which is not a request; keep it, and reference the template of a remediation controller",
      },
    ]);
  });

  it("within the limit only, when it has been calm, judged again on live reads", async () => {
    const machines = ["m1", "m2", "m3"].map(ill);
    expect(await decided(world(upTo(2), machines, T))).toMatchObject(NOTHING);
    expect(created(await decided(world(upTo(3), machines, T)))).toEqual(["m1", "m2", "m3"]);
    const fresh = machineWith("m1", failed(at("11:59:58")), marked());
    expect(await decided(world(upTo(1), [fresh], T))).toMatchObject({
      ...NOTHING,
      result: requeueAfter(4_000, "the hand-over"),
    });
    const more = world(upTo(1), [ill("m1")], T)
      .live(ill("m2"))
      .inWorkload("default/c1", badNode("m2"));
    expect(await decided(more)).toMatchObject(NOTHING);
  });

  it("not where the server shows another health check, or one that is paused or being deleted", async () => {
    const to = world(checkWith(), [ill("m1")], T);
    for (const metadata of [
      { generation: 4 },
      { annotations: { "cluster.x-k8s.io/paused": "" } },
      { deletionTimestamp: LONG_AGO, finalizers: ["x"] },
    ]) {
      expect(await decided(to.live(checkWith({}, { metadata })))).toMatchObject(NOTHING);
    }
    expect(await decided(to.goneLive(checkWith()))).toMatchObject(NOTHING);
  });

  it("does nothing while it is paused, or its Nodes are not all known", async () => {
    const paused = checkWith({}, { metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } });
    const { result, ...rest } = await decided(world(paused, [ill("m1")], T));
    expect(rest).toEqual({});
    expect(result).toEqual(waitFor("MachineHealthCheck.metadata.annotations[cluster.x-k8s.io/paused]"));
    const unseen = given(
      upCluster(),
      connection({ status: { nodesComplete: false } }),
      checkWith(),
      ...REMEDIATION_CRDS,
      ill("m1"),
      T,
    );
    expect(await decided(unseen)).toEqual({ result: waitFor("Connection.status.nodesComplete") });
  });
});

describe("mhc-requests says why a Machine has no request", () => {
  const NOT_FOUND = "RemediationTemplateNotFound";
  const FAILED = ["RemediationRequestCreationFailed", "Please check controller logs for errors"];

  it("the template does not exist; its appearance brings the check back", async () => {
    const to = world(checkWith(), [ill("m1"), ill("m2")]);
    const decision = await decided(to);
    for (const name of ["m1", "m2"]) {
      const message = "Error retrieving remediation template FooRemediationTemplate default/t";
      expect(saidOf(decision, ill(name))).toEqual([NOT_FOUND, message]);
    }
    expect(decision).toMatchObject({ create: [], result: waitFor("RemediationTemplate.metadata.uid") });
    const reported = machineWith("m1", failed(), marked(NOT_FOUND));
    expect(created(await decided(world(checkWith(), [reported], T)))).toEqual(["m1"]);
  });

  it("a template that cannot be watched is looked for again", async () => {
    const hidden = crd(REMEDIATION_GROUP, "FooRemediationTemplate", { status: { watched: false } });
    const { result } = await decided(world(checkWith(), [ill("m1")], hidden));
    expect(result).toEqual(requeueAfter(300_000, "a template that could not be read"));
  });

  it("its version is not served, or its kind is not: the message says what is", async () => {
    const check = checkWith({ templateRef: { ...templateRef, apiVersion: `${REMEDIATION_GROUP}/v9` } });
    const decision = await decided(world(check, [ill("m1")], T));
    const [reason, message] = saidOf(decision, ill("m1"));
    expect(reason).toBe(NOT_FOUND);
    expect(message).toContain("serves v1, not v9");
    const unknown = checkWith({ templateRef: { ...templateRef, kind: "BarRemediationTemplate" } });
    const other = await decided(world(unknown, [ill("m1")], T));
    expect(saidOf(other, ill("m1"))[1]).toContain("does not exist; install the provider");
    expect(other.result).toEqual(
      waitFor(`CustomResourceDefinition.metadata.uid of ${REMEDIATION_GROUP}/BarRemediationTemplate`),
    );
  });

  it("the template names another kind, or has no kind of templates: refused as by the server, with an Event on the Machine", async () => {
    const odd = template({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding" });
    const decision = await decided(world(checkWith(), [ill("m1")], odd));
    expect(decision.create).toEqual([]);
    expect(saidOf(decision, ill("m1"))).toEqual(FAILED);
    expect(decision.events).toMatchObject([
      {
        type: "Warning",
        reason: FAILED[0],
        message: expect.stringContaining("spec.template.apiVersion"),
        about: { metadata: { name: "m1" } },
      },
    ]);
    const noTemplate = checkWith({ templateRef: { ...templateRef, kind: "FooRemediation" } });
    const none = await decided(world(noTemplate, [ill("m1")], fooRemediation("t"), fooRemediation("m1")));
    expect(none).toMatchObject({ create: [], delete: [] });
    expect(none.events?.[0]?.message).toContain("FooRemediation default/t is not a template");
  });

  it("the server refuses it: a patch and an Event follow, and it is tried again", async () => {
    const recent = machineWith("m1", failed(at("11:59:00")), marked("WaitingForRemediation", at("11:59:00")));
    const { create } = await decided(world(checkWith(), [recent], T));
    const [{ ifFails, ifRefused } = {}] = create ?? [];
    expect(ifFails).toMatchObject({
      event: FAILED[0],
      againAfterMs: 30_000,
      about: { metadata: { name: "m1" } },
    });
    const patch = ifRefused === undefined ? [] : [ifRefused];
    expect(saidOf({ patch, result: done }, recent)).toEqual(FAILED);
    // It says so already.
    const said = machineWith("m1", failed(), { ...marked(FAILED[0]), message: FAILED[1] ?? "" });
    const again = await decided(world(checkWith(), [said], T));
    expect(again.create?.[0]).not.toHaveProperty("ifRefused");
    expect(again.create?.[0]?.ifFails?.againAfterMs).toBe(300_000);
  });

  it("takes that back once the request exists, and leaves the words of an external controller", async () => {
    for (const reason of [NOT_FOUND, FAILED[0]]) {
      const reported = machineWith("m1", failed(), marked(reason));
      const decision = await decided(world(checkWith(), [reported], T, fooRemediation()));
      expect(saidOf(decision, reported)).toEqual(["WaitingForRemediation", ""]);
    }
    const other = machineWith("m1", failed(), marked("PowerCycling"));
    expect(await decided(world(checkWith(), [other], T, fooRemediation()))).toMatchObject(NOTHING);
  });

  it("of two checks of one Machine the first by name says why it gets no request, the other by its Event only", async () => {
    const other = { ...templateRef, name: "another" };
    const earlier = (paused: object = {}) =>
      checkWith({ templateRef: other }, { metadata: { name: "a", uid: "uid-a", ...paused } });
    const reported = machineWith("m1", failed(), marked(NOT_FOUND));
    for (const known of [[], [T, fooRemediation()]]) {
      const { patch } = await decide(mhcRequests, world(checkWith(), [reported], earlier(), ...known), "h1");
      expect(patch).toEqual([]);
    }
    const paused = earlier({ annotations: { [PAUSED_ANNOTATION]: "" } });
    const left = await decide(mhcRequests, world(checkWith(), [reported], paused), "h1");
    expect(saidOf(left, reported)[1]).toContain("FooRemediationTemplate default/t");
  });

  it("a server that shows nothing is an Event with its words, and is asked again", async () => {
    const to = world(checkWith(), [ill("m1")], T).refusing(MANAGEMENT, refusal);
    expect(await decided(to)).toMatchObject({
      create: [],
      delete: [],
      events: [
        {
          type: "Warning",
          reason: "RemediationBlocked",
          message: expect.stringContaining("cannot list resource"),
        },
      ],
      result: requeueAfter(300_000, "an answer of a server"),
    });
  });
});

describe("mhc-requests deletes a request", () => {
  const well = machineWith("m1", succeeded(), marked());

  it("of a Machine that is healthy again, by uid and version, after live reads of both", async () => {
    const to = world(checkWith(), [well], T, fooRemediation());
    const { delete: all, ...rest } = await decided(to);
    expect(all).toMatchObject([
      {
        target: { name: "m1", uid: "uid-r-m1", resourceVersion: "5" },
        ifFails: { event: "FailedDeleteRequest" },
      },
    ]);
    expect(rest).toMatchObject({ create: [], patch: [], events: [] });
    expect(await liveReads(mhcRequests, to, "h1")).toEqual(["get Machine m1", "get FooRemediation m1"]);
  });

  it("never what a Machine consists of, where the template is that of its infrastructure", async () => {
    const part = fooRemediation("m1", { ownerReferences: [{ ...machineOwner("m1"), controller: true }] });
    expect(await decided(world(checkWith(), [well], T, part))).toMatchObject(NOTHING);
    const infrastructureRef = { apiGroup: REMEDIATION_GROUP, kind: "FooRemediation", name: "m1" };
    const own = merge(well, { spec: { infrastructureRef } });
    expect(await decided(world(checkWith(), [own], T, fooRemediation()))).toMatchObject(NOTHING);
  });

  it("not where live reads show an unhealthy Machine, or another request", async () => {
    const to = world(checkWith(), [well], T, fooRemediation());
    expect(deleted(await decided(to.live(ill("m1"))))).toEqual([]);
    const going = fooRemediation("m1", { deletionTimestamp: LONG_AGO, finalizers: ["x"] });
    expect(deleted(await decided(to.live(going)))).toEqual([]);
    expect(deleted(await decided(to.goneLive(fooRemediation())))).toEqual([]);
  });

  it("once: one that is being deleted is left, however long that takes", async () => {
    const going = fooRemediation("m1", { deletionTimestamp: LONG_AGO, finalizers: ["x"] });
    expect(await decided(world(checkWith(), [well], T, going))).toMatchObject(NOTHING);
  });

  it("also while the limit allows no remediation, and while the health check is being deleted", async () => {
    const machines = [well, ill("m2"), ill("m3")];
    expect(deleted(await decided(world(upTo(1), machines, T, fooRemediation())))).toEqual([
      "FooRemediation m1",
    ]);
    const going = checkWith({}, { metadata: { deletionTimestamp: LONG_AGO, finalizers: ["x"] } });
    const decision = await decided(world(going, [well, ill("m2")], T, fooRemediation()));
    expect([deleted(decision), created(decision)]).toEqual([["FooRemediation m1"], []]);
  });

  it("not of a Machine that fails in another health check, or without Node", async () => {
    const strict = healthCheck({
      metadata: { name: "h2", uid: "uid-h2" },
      spec: {
        checks: { unhealthyNodeConditions: [{ type: "Ready", status: "True", timeoutSeconds: 0 }] },
      },
    });
    const both = world(checkWith(), [well], T, fooRemediation(), strict);
    expect(deleted(await decide(mhcRequests, both, "h1"))).toEqual([]);
    const pending = merge(well, { status: { nodeRef: undefined } });
    expect(deleted(await decided(world(checkWith(), [pending], T, fooRemediation())))).toEqual([]);
  });

  it("no object of another owner, and one without owner", async () => {
    const foreign = {
      apiVersion: "remediation.medik8s.io/v1alpha1",
      kind: "NodeHealthCheck",
      name: "n",
      uid: "u",
    };
    for (const [ownerReferences, expected] of [
      [[foreign], []],
      [[machineOwner("m1", "uid-earlier")], []],
      [undefined, ["FooRemediation m1"]],
    ] as const) {
      const decision = await decided(
        world(checkWith(), [well], T, fooRemediation("m1", { ownerReferences })),
      );
      expect(deleted(decision)).toEqual(expected);
    }
  });

  it("hundreds of them after two lists", async () => {
    const names = Array.from({ length: 30 }, (_, index) => `m${index}`);
    const machines = names.map((name) => machineWith(name, succeeded(), marked()));
    const requests = names.map((name) => fooRemediation(name));
    const to = world(checkWith(), machines, T, ...requests);
    expect(deleted(await decided(to))).toHaveLength(30);
    expect(await liveReads(mhcRequests, to, "h1")).toEqual(["list Machine", "list FooRemediation"]);
  });
});

describe("mhc-requests and a kind that may not be watched", () => {
  const hidden = crd(REMEDIATION_GROUP, "FooRemediation", { status: { watched: false } });

  it("lists its requests live, again every 30 s while a target is not healthy", async () => {
    const to = world(checkWith(), [ill("m1")], T, hidden).live(fooRemediation());
    expect(await decided(to)).toMatchObject({
      ...NOTHING,
      result: requeueAfter(30_000, "requests that are not watched"),
    });
  });

  it("deletes the request of a Machine that is healthy again, and looks until none can appear", async () => {
    const just = machineWith("m1", succeeded(at("11:59:50")), marked());
    const decision = await decided(world(checkWith(), [just], T, hidden).live(fooRemediation()));
    expect(deleted(decision)).toEqual(["FooRemediation m1"]);
    expect(decision.result).toEqual(requeueAfter(30_000, "requests that are not watched"));
    const later = machineWith("m1", succeeded(at("11:59:00")), marked());
    expect((await decided(world(checkWith(), [later], T, hidden))).result).toEqual(done);
  });

  it("asks no server while no target has ever waited for an external controller", async () => {
    const to = world(checkWith(), [machineWith("m1", succeeded())], T, hidden);
    expect(await liveReads(mhcRequests, to, "h1")).toEqual([]);
  });
});
