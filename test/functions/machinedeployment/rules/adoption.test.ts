import { describe, expect, it } from "vitest";
import { adoptions, isAdoptable, isOwnSet } from "../../../../functions/machinedeployment/rules/adoption.ts";
import type { MachineDeployment } from "../../../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../../../shared/api/machineset.ts";
import type { Overrides } from "../../../support/builders.ts";
import { machineDeployment, OWNED_BY_D1, setOfDeployment } from "../../../support/foo-deployments.ts";

const NAMED = "cluster.x-k8s.io/deployment-name";
const ORPHAN: Overrides<MachineSet> = { metadata: { ownerReferences: [] } };
const ownedBy = (by: Partial<typeof OWNED_BY_D1>): Overrides<MachineSet> => ({
  metadata: { ownerReferences: [{ ...OWNED_BY_D1, ...by }] },
});
const GOING = { deletionTimestamp: "2026-01-01T11:00:00Z" };

describe("the sets of a deployment", () => {
  it.each<readonly [string, Overrides<MachineSet>, Overrides<MachineDeployment>, boolean]>([
    ["an orphan that the selector matches", ORPHAN, {}, true],
    ["one of this deployment under an earlier uid", ownedBy({ uid: "uid-before" }), {}, true],
    [
      "one under an earlier uid whose labels are gone",
      { metadata: { ...ownedBy({ uid: "uid-before" }).metadata, labels: undefined } },
      {},
      true,
    ],
    ["its own", {}, {}, false],
    ["one that another deployment controls", ownedBy({ name: "d2", uid: "uid-d2" }), {}, false],
    ["an orphan that is being deleted", { metadata: { ownerReferences: [], ...GOING } }, {}, false],
    ["an orphan of another Cluster", { ...ORPHAN, spec: { clusterName: "c2" } }, {}, false],
    [
      "an orphan that another deployment has named",
      { metadata: { ownerReferences: [], labels: { [NAMED]: "d2" } } },
      { spec: { selector: { matchLabels: { [NAMED]: undefined } } } },
      false,
    ],
    [
      "an orphan that no deployment has named",
      { metadata: { ownerReferences: [], labels: { [NAMED]: undefined } } },
      { spec: { selector: { matchLabels: { [NAMED]: undefined } } } },
      true,
    ],
    ["an orphan, for an empty selector", ORPHAN, { spec: { selector: { matchLabels: undefined } } }, false],
    [
      "an orphan, for labels that a user has emptied",
      ORPHAN,
      { spec: { selector: { matchLabels: null } } },
      false,
    ],
    [
      "an orphan, for a selector that cannot be read",
      ORPHAN,
      { spec: { selector: { matchExpressions: [{ key: "tier", operator: "Like" }] } } },
      false,
    ],
  ])("adopt or leave %s", (_, set, deployment, adopted) => {
    expect(isAdoptable(machineDeployment(deployment), setOfDeployment("d1-aaaaa", set))).toBe(adopted);
  });

  it.each<readonly [string, Overrides<MachineSet>, boolean]>([
    ["one that it controls, whatever its labels", { metadata: { labels: undefined } }, true],
    ["one that it controls and that is being deleted", { metadata: GOING }, true],
    ["one of another Cluster", { spec: { clusterName: "c2" } }, false],
    ["one of another controller", ownedBy({ uid: "uid-d2" }), false],
  ])("are, or are not, %s", (_, set, own) => {
    expect(isOwnSet(machineDeployment(), setOfDeployment("d1-aaaaa", set))).toBe(own);
  });

  it("are adopted with an Event, or one that says why not", () => {
    const sets = [setOfDeployment("d1-aaaaa"), setOfDeployment("d1-bbbbb", ORPHAN)];
    expect(adoptions(machineDeployment(), sets)).toMatchObject([
      {
        target: { name: "d1-bbbbb", uid: "uid-d1-bbbbb", resourceVersion: "20" },
        operations: [{ path: "/metadata/ownerReferences", value: [OWNED_BY_D1] }],
        ifFails: {
          event: "FailedAdopt",
          againAfterMs: 15_000,
          says: 'Failed to adopt MachineSet "d1-bbbbb"',
        },
        announces: { reason: "SuccessfulAdopt", message: 'Adopted MachineSet "d1-bbbbb"' },
      },
    ]);
  });
});
