import { describe, expect, it } from "vitest";
import { titleOfFacts } from "../../../../infra/cli/tree/lines.ts";
import { factsOf } from "../../../../infra/operate/explain/object-facts.ts";
import type { ObjectNode } from "../../../../infra/operate/explain/object-tree.ts";
import { type Kind, type KubeObject, objectKeyOf } from "../../../../shared/api/kinds.ts";
import { MachineDeployment } from "../../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../../shared/api/machineset.ts";
import type { RolloutFacts } from "../../../../shared/rules/rollout/standstill.ts";
import type { Overrides } from "../../../support/builders.ts";
import { rollingFacts } from "../../../support/rolling-deployment.ts";
import { NOW } from "../../../support/world.ts";

function nodeOf(kind: Kind, object: KubeObject, children: readonly ObjectNode[] = []): ObjectNode {
  return { kind, key: objectKeyOf(object), object, children, more: [] };
}

function factsIn({ deployment, sets }: RolloutFacts) {
  const below = sets.map((set) => nodeOf(MachineSet, set));
  return factsOf(nodeOf(MachineDeployment, deployment, below), undefined, NOW);
}

function rolling(deployment: Overrides<MachineDeployment>) {
  return factsIn(rollingFacts({ deployment }));
}

describe("what is said of a MachineDeployment", () => {
  it("begins with the reason when its rollout stands still", () => {
    const facts = rolling({ spec: { paused: true } });
    expect(titleOfFacts(facts)).toBe(
      "MachineDeployment default/d1  rollout stands still since 2026-01-01T00:00:00Z: spec.paused is true",
    );
    expect(rolling({}).standsStill).toBeUndefined();
  });

  it("has its limits, and each set with revision, size and Machines", () => {
    expect(rolling({}).details).toEqual([
      { about: "limits", lines: ["at least 3 available, at most 4 (surge 1, unavailable 0)"] },
      { about: "sets", lines: ["d1-first (revision 1, old): 3 of 3 Machines, 3 available"] },
    ]);
    const strategy = { type: "OnDelete", rollingUpdate: undefined } as const;
    const [limits] = rolling({ spec: { rollout: { strategy } } }).details ?? [];
    expect(limits?.lines).toEqual(["OnDelete: a Machine is replaced once a person has deleted it"]);
  });

  it("is nothing while the read model has no spec of it", () => {
    const { deployment } = rollingFacts({});
    const { spec: _, ...bare } = deployment;
    expect(factsOf(nodeOf(MachineDeployment, bare), undefined, NOW).details).toBeUndefined();
    expect(factsIn({ ...rollingFacts({}), sets: [] }).details?.map(({ about }) => about)).toEqual(["limits"]);
  });
});
