import { describe, expect, it } from "vitest";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { deletionOrder, type Order } from "../../../../shared/rules/machines/deletion-order.ts";
import { machineCondition, type Overrides } from "../../../support/builders.ts";
import { setMachine } from "../../../support/foo-sets.ts";
import { NOW } from "../../../support/world.ts";

const UNHEALTHY = machineCondition("HealthCheckSucceeded", "False", "NodeNotReady");
const HANDED_OVER = machineCondition("OwnerRemediated", "False", "WaitingForRemediation");

function names(machines: readonly Machine[], order?: Order): string {
  return deletionOrder(machines, order, NOW)
    .map(({ metadata }) => metadata.name)
    .join(" ");
}

function bornAt(name: string, creationTimestamp: string): Machine {
  return setMachine(name, { metadata: { creationTimestamp } });
}

describe("the order in which Machines go", () => {
  it("is deleting, handed over, chosen, updated in place, unhealthy, others", () => {
    const kinds: readonly (readonly [string, Overrides<Machine>])[] = [
      ["f-other", {}],
      ["e-sick", { status: { conditions: [machineCondition("NodeHealthy", "False", "NodeNotHealthy")] } }],
      ["e-without-node", { status: { nodeRef: undefined } }],
      ["e-unhealthy", { status: { conditions: [UNHEALTHY] } }],
      [
        "d-updating",
        {
          metadata: {
            annotations: { "in-place-updates.internal.cluster.x-k8s.io/update-in-progress": "" },
          },
        },
      ],
      ["c-chosen", { metadata: { annotations: { "cluster.x-k8s.io/delete-machine": "" } } }],
      ["b-handed-over", { status: { conditions: [UNHEALTHY, HANDED_OVER] } }],
      ["a-deleting", { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } }],
    ];
    expect(names(kinds.map(([name, overrides]) => setMachine(name, overrides)))).toBe(
      "a-deleting b-handed-over c-chosen d-updating e-sick e-unhealthy e-without-node f-other",
    );
  });

  it("is by age where the set says so, else by name", () => {
    const old = bornAt("z-old", "2025-01-01T00:00:00Z");
    const young = bornAt("a-young", "2026-01-01T11:00:00Z");
    const middle = bornAt("m-middle", "2025-12-28T00:00:00Z");
    expect(names([young, middle, old], "Oldest")).toBe("z-old m-middle a-young");
    expect(names([old, middle, young], "Newest")).toBe("a-young m-middle z-old");
    expect(names([old, middle, young])).toBe("a-young m-middle z-old");
    expect(names([old, middle, young], "Random")).toBe("a-young m-middle z-old");
  });
});
