import { describe, expect, it } from "vitest";
import { isAdoptable } from "../../../../functions/machineset/rules/machines.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { MachineSet } from "../../../../shared/api/machineset.ts";
import type { Overrides } from "../../../support/builders.ts";
import { machineSet, OWNED_BY_S1, setMachine } from "../../../support/foo-sets.ts";

const ORPHAN: Overrides<Machine> = { metadata: { ownerReferences: [] } };
const GOING = { deletionTimestamp: "2026-01-01T11:00:00Z" };

function ownedBy(by: Partial<typeof OWNED_BY_S1>): Overrides<Machine> {
  return { metadata: { ownerReferences: [{ ...OWNED_BY_S1, ...by }] } };
}

describe("the Machines of a set", () => {
  it.each<readonly [string, Overrides<Machine>, Overrides<MachineSet>, boolean]>([
    ["an orphan that the selector matches", ORPHAN, {}, true],
    ["one that this set controlled under an earlier uid", ownedBy({ uid: "uid-before" }), {}, true],
    ["one that another set controls", ownedBy({ name: "s2", uid: "uid-s2" }), {}, false],
    [
      "one that another kind of that name controls",
      ownedBy({ kind: "MachinePool", uid: "uid-p" }),
      {},
      false,
    ],
    ["its own", {}, {}, false],
    ["an orphan that is being deleted", { metadata: { ownerReferences: [], ...GOING } }, {}, false],
    ["an orphan of another Cluster", { ...ORPHAN, spec: { clusterName: "c2" } }, {}, false],
    [
      "an orphan without the labels",
      { metadata: { ownerReferences: [], labels: { "cluster.x-k8s.io/set-name": undefined } } },
      {},
      false,
    ],
    [
      "an orphan that an expression matches",
      { metadata: { ownerReferences: [], labels: { tier: "a" } } },
      {
        spec: {
          selector: {
            matchLabels: undefined,
            matchExpressions: [{ key: "tier", operator: "In", values: ["a", "b"] }],
          },
        },
      },
      true,
    ],
    [
      "an orphan, by a set without selector",
      ORPHAN,
      { spec: { selector: { matchLabels: undefined } } },
      false,
    ],
  ])("adopted is %s: %s", (_, machine, set, adopted) => {
    expect(isAdoptable(machineSet(set), setMachine("s1-a", machine))).toBe(adopted);
  });
});
