import { describe, expect, it } from "vitest";
import type { SimControlPlane } from "../../../../../../infra/playground/api/sim-controlplane.ts";
import {
  domainForNew,
  nextStep,
  nextToGo,
} from "../../../../../../infra/playground/functions/sim/rules/control-plane-next-step.ts";
import { machineTemplateOf } from "../../../../../../infra/playground/functions/sim/rules/control-plane-view.ts";
import type { Machine } from "../../../../../../shared/api/machine/machine.ts";
import { assert } from "../../../../../../shared/function/errors.ts";
import { cluster, type Overrides } from "../../../../../support/builders.ts";
import {
  clonesOf,
  controlPlaneMachine,
  domainCluster,
  machinesControlPlane,
  stored,
} from "../../../../../support/control-planes.ts";
import { NOW } from "../../../../../support/world.ts";

/** A Machine in a failure domain. */
function inDomain(name: string, failureDomain: string | undefined, creationTimestamp?: string): Machine {
  return controlPlaneMachine(name, { spec: { failureDomain }, metadata: { creationTimestamp } });
}

describe("the failure domain of a new Machine", () => {
  const [a1, a2, b1] = [inDomain("a1", "a"), inDomain("a2", "a"), inDomain("b1", "b")];

  it.each<readonly [string, readonly Machine[], readonly Machine[], string]>([
    ["the first by name without Machines", [], [], "a"],
    ["that with the fewest up-to-date Machines", [a1], [a1], "b"],
    ["that with the fewest Machines among equals", [a1, a2, b1], [], "b"],
    ["never one that is meant for workers only", [a1, b1], [a1, b1], "a"],
    ["that without an up-to-date Machine, although it has more Machines", [a1, a2, b1], [b1], "a"],
  ])("is %s", (_, machines, current, domain) => {
    expect(domainForNew(domainCluster(), machines, (machine) => current.includes(machine))).toBe(domain);
  });

  it("is left out for a Cluster without failure domains", () => {
    expect(domainForNew(cluster(), [a1], () => true)).toBeUndefined();
  });
});

describe("the Machine to go next", () => {
  const YOUNG = "2026-01-01T11:00:00Z";
  const OLD = "2026-01-01T10:00:00Z";

  it.each<readonly [string, readonly Machine[], string]>([
    [
      "is in the domain with the most Machines",
      [inDomain("m1", "b"), inDomain("m2", "a"), inDomain("m3", "a")],
      "m2",
    ],
    ["is the oldest of its domain", [inDomain("m1", "a", YOUNG), inDomain("m2", "a", OLD)], "m2"],
    ["is the first by name among equals", [inDomain("m2", "a", OLD), inDomain("m1", "a", OLD)], "m1"],
    [
      "is in a domain that is not meant for control planes, however few are there",
      [inDomain("m1", "a"), inDomain("m2", "a"), inDomain("m3", "w")],
      "m3",
    ],
    [
      "is one without domain where the Cluster has some",
      [inDomain("m1", "a"), inDomain("m2", undefined)],
      "m2",
    ],
  ])("%s", (_, machines, name) => {
    expect(nextToGo(domainCluster(), machines, machines)?.metadata.name).toBe(name);
  });

  it("is the oldest of all where the Cluster has no failure domains", () => {
    const machines = [inDomain("m1", "x", YOUNG), inDomain("m2", undefined, OLD)];
    expect(nextToGo(cluster(), machines, machines)?.metadata.name).toBe("m2");
  });
});

const RESERVED = "capstan.dev/machine-reservation";
const OLD_VERSION = { spec: { version: "v1.33.0" } };
const UNREADY = { status: { conditions: [stored("Ready", "False")] } };
const NO_NODE = { status: { nodeRef: undefined, conditions: [stored("Ready", "False")] } };
const YOUNG = { metadata: { creationTimestamp: NOW.toISOString() } };
const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } };
const UNINITIALIZED = { status: { initialization: undefined } };
const SICK = {
  status: {
    conditions: [
      stored("HealthCheckSucceeded", "False"),
      stored("OwnerRemediated", "False", "WaitingForRemediation"),
    ],
  },
};

function step(machines: readonly Machine[], overrides: Overrides<SimControlPlane> = {}): string {
  const object = machinesControlPlane(overrides);
  const template = machineTemplateOf(object);
  assert(template !== undefined && !("problem" in template), "the template is readable");
  const members = machines.map((machine) => {
    const [infraMachine, config] = clonesOf(machine.metadata.name);
    return { machine, infraMachine, config };
  });
  const next = nextStep({ object, template, cluster: domainCluster(), members, now: NOW });
  if (next.type === "shrink") return `shrink ${next.machine.metadata.name}`;
  return next.type === "rest" && next.what !== undefined ? `rest ${next.what}` : next.type;
}

function three(third: Overrides<Machine> = {}): readonly Machine[] {
  return [controlPlaneMachine("a"), controlPlaneMachine("b"), controlPlaneMachine("c", third)];
}

function reserving(...names: readonly string[]): Overrides<SimControlPlane> {
  return { metadata: { annotations: { [RESERVED]: JSON.stringify(names) } } };
}

const NOT_READY = "rest Machine.status.conditions[Ready]";

describe("the next step of a control plane", () => {
  it.each<readonly [string, readonly Machine[], Overrides<SimControlPlane>, string]>([
    ["makes the first Machine at once", [], UNINITIALIZED, "grow"],
    [
      "makes no second one before the control plane is initialized",
      three().slice(0, 1),
      UNINITIALIZED,
      NOT_READY,
    ],
    ["makes the next when all are Ready", three().slice(0, 2), {}, "grow"],
    [
      "makes none while one is not Ready",
      [controlPlaneMachine("a"), controlPlaneMachine("b", UNREADY)],
      {},
      NOT_READY,
    ],
    ["rests with as many as are wanted", three(), {}, "rest"],
    ["rests also while one of them is not Ready", three(UNREADY), {}, "rest"],
    ["removes one that is too many", three(), { spec: { replicas: 1 } }, "shrink a"],
    [
      "removes one that a person has chosen first",
      three({ metadata: { annotations: { "cluster.x-k8s.io/delete-machine": "" } } }),
      { spec: { replicas: 1 } },
      "shrink c",
    ],
    ["waits for a Machine that is going", three(GOING), { spec: { replicas: 1 } }, "rest Machine deleted"],
    ["makes another one before an outdated one goes", three(OLD_VERSION), {}, "grow"],
    ["then removes an outdated one", [...three(OLD_VERSION), controlPlaneMachine("d")], {}, "shrink c"],
    [
      "does not remove it before the new one is Ready",
      [...three(OLD_VERSION), controlPlaneMachine("d", UNREADY)],
      {},
      NOT_READY,
    ],
    [
      "removes an outdated one that never had a Node at once",
      three({ ...OLD_VERSION, ...NO_NODE }),
      {},
      "shrink c",
    ],
    [
      "does not take one for lost whose status was lost in a move",
      three({ ...OLD_VERSION, ...YOUNG, spec: { ...OLD_VERSION.spec, providerID: "sim://c" }, ...NO_NODE }),
      {},
      NOT_READY,
    ],
    [
      "replaces the only one that cannot start before it is initialized",
      [controlPlaneMachine("a", { ...OLD_VERSION, ...NO_NODE })],
      { ...UNINITIALIZED, spec: { replicas: 1 } },
      "shrink a",
    ],
    ["remediates before anything else", three(SICK), { spec: { replicas: 5 } }, "remediate"],
    ["clears names whose Machines are there", three(), reserving("c"), "tidy"],
    ["clears names that are not needed", three(), reserving("z"), "tidy"],
    ["makes the Machine whose name is reserved", three().slice(0, 2), reserving("z"), "grow"],
  ])("%s", (_, machines, overrides, expected) => {
    expect(step(machines, overrides)).toBe(expected);
  });
});
