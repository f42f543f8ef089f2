import { describe, expect, it } from "vitest";
import {
  domainForNew,
  nextToGo,
} from "../../../../../../infra/playground/functions/sim/rules/control-plane-placement.ts";
import type { Machine } from "../../../../../../shared/api/machine/machine.ts";
import { cluster } from "../../../../../support/builders.ts";
import { controlPlaneMachine, domainCluster } from "../../../../../support/control-planes.ts";

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
