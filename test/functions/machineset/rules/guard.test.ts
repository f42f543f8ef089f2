import { describe, expect, it } from "vitest";
import { setGuardPatch } from "../../../../functions/machineset/rules/guard.ts";
import type { MachineSet } from "../../../../shared/api/machineset.ts";
import { cluster, type Overrides } from "../../../support/builders.ts";
import { machineSet } from "../../../support/foo-sets.ts";

const BARE: Overrides<MachineSet> = {
  metadata: { finalizers: undefined, labels: undefined, ownerReferences: undefined },
};
const GOING = { deletionTimestamp: "2026-01-01T11:59:00Z" };
const NO_DEFAULTS: Overrides<MachineSet> = {
  spec: { replicas: undefined, selector: { matchLabels: undefined }, template: { metadata: undefined } },
};
const DEPLOYMENT = { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "MachineDeployment", name: "d", uid: "d" };

function written(set: Overrides<MachineSet>, of = cluster()): readonly string[] {
  return setGuardPatch(machineSet(set), of).map(({ path }) => path);
}

describe("the patch of the guard", () => {
  it.each<readonly [string, Overrides<MachineSet>, readonly string[]]>([
    ["is empty for a complete set", {}, []],
    [
      "adds finalizer, label and owner",
      BARE,
      ["/metadata/finalizers", "/metadata/labels", "/metadata/ownerReferences"],
    ],
    [
      "leaves the owner to a MachineDeployment, in whatever version it is named",
      { metadata: { ownerReferences: [DEPLOYMENT] } },
      [],
    ],
    [
      "leaves the owner to a MachineDeployment that will adopt the set",
      { metadata: { ownerReferences: [], labels: { "cluster.x-k8s.io/deployment-name": "d" } } },
      [],
    ],
    ["adds the defaults", NO_DEFAULTS, ["/spec/selector", "/spec/template/metadata", "/spec/replicas"]],
    [
      "adds no default and no finalizer to a set that is going",
      { ...NO_DEFAULTS, metadata: { ...GOING, finalizers: [] } },
      [],
    ],
  ])("%s", (_, set, paths) => {
    expect(written(set)).toEqual(paths);
  });

  it("gives a paused set its finalizer only, and none where it is going", () => {
    const paused = cluster({ spec: { paused: true } });
    expect(written({ ...BARE, ...NO_DEFAULTS }, paused)).toEqual(["/metadata/finalizers"]);
    expect(written({ ...NO_DEFAULTS, metadata: { ...BARE.metadata, ...GOING } }, paused)).toEqual([]);
  });

  it("changes selector and template together, and keeps the selector's expressions", () => {
    const matchExpressions = [{ key: "a", operator: "Exists" }];
    const set = machineSet({
      spec: {
        selector: { matchLabels: undefined, matchExpressions },
        template: { metadata: { labels: { a: "1" } } },
      },
    });
    const values = Object.fromEntries(
      setGuardPatch(set, cluster()).map((each) => [each.path, "value" in each ? each.value : undefined]),
    );
    expect(values).toMatchObject({
      "/spec/selector": { matchExpressions, matchLabels: { "cluster.x-k8s.io/cluster-name": "c1" } },
    });
  });
});
