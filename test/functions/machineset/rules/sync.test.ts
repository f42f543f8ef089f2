import { describe, expect, it } from "vitest";
import type { SetView } from "../../../../functions/machineset/rules/machines-view.ts";
import { adoptions, outOfSync, syncPatches } from "../../../../functions/machineset/rules/sync.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { Referenced } from "../../../../shared/contract/referenced.ts";
import { cluster, found, infraMachine, missing, type ProviderObject } from "../../../support/builders.ts";
import { machineSet, setMachine } from "../../../support/foo-sets.ts";
import { machineConfig, OWNED_BY_M1 } from "../../../support/machines.ts";

const SET = machineSet({ spec: { template: { metadata: { labels: { tier: "a" } } } } });
const LABELS = {
  tier: "a",
  "cluster.x-k8s.io/cluster-name": "c1",
  "cluster.x-k8s.io/set-name": "s1",
};
const TRACKER = {
  "capstan.dev/keys-from-template": "cluster.x-k8s.io/cluster-name,cluster.x-k8s.io/set-name,tier",
};
const GOING = { deletionTimestamp: "2026-01-01T11:59:00Z" };

const machineWith = (metadata: object = {}): Machine =>
  setMachine("m1", { metadata: { labels: LABELS, annotations: TRACKER, ...metadata } });
const config = (labels: ProviderObject["metadata"]["labels"] = LABELS, ownerReferences = [OWNED_BY_M1]) =>
  machineConfig({ metadata: { labels, ownerReferences } });
const infra = infraMachine("m1", { metadata: { labels: LABELS, ownerReferences: [OWNED_BY_M1] } });

function viewOf(machine: Machine, bootstrap: Referenced = found(config())): SetView {
  const objects = new Map([["m1", { bootstrap, infrastructure: found(infra) }]]);
  return { set: SET, cluster: cluster(), machines: [machine], own: [machine], objects, blockers: [] };
}

/** Kinds that the patches of a Machine are for, given its objects as the API server has them. */
async function patched(machine: Machine, bootstrap: Referenced): Promise<readonly string[]> {
  const asked: string[] = [];
  const live = {
    referenced: async <T extends KubeObject>({ kind }: { readonly kind: string }) => {
      asked.push(kind);
      return (kind === "FooConfig" ? bootstrap : found(infra)) as Referenced<T>;
    },
  };
  const patches = await syncPatches(live, SET, machine);
  return patches.map(({ target }) => target.kind.kind);
}

describe("adoption of a Machine", () => {
  it("is refused with an Event and tried again, and announced once the server has accepted it", () => {
    const orphan = machineWith({ ownerReferences: undefined });
    expect(adoptions(viewOf(orphan))).toMatchObject([
      {
        target: { name: "m1", uid: "uid-m1" },
        operations: [{ path: "/metadata/ownerReferences" }],
        ifFails: { event: "FailedAdopt", againAfterMs: 15_000, says: 'Failed to adopt Machine "m1"' },
        announces: { reason: "SuccessfulAdopt" },
      },
    ]);
  });

  it("is not asked for where the set controls the Machine", () => {
    expect(adoptions(viewOf(machineWith()))).toEqual([]);
  });
});

describe("Machines that differ from the template", () => {
  it.each<readonly [string, SetView, boolean]>([
    ["one that lacks a label", viewOf(machineWith({ labels: { tier: undefined } })), true],
    ["one whose config lacks a label", viewOf(machineWith(), found(config({ tier: "b" }))), true],
    [
      "one whose config is another controller's, whatever its labels are",
      viewOf(machineWith(), found(config({ tier: "b" }, [{ ...OWNED_BY_M1, uid: "other" }]))),
      false,
    ],
    ["one whose config is gone", viewOf(machineWith(), missing(config())), false],
    [
      "one that is going, for its objects' sake",
      viewOf(machineWith(GOING), found(config({ tier: "b" }))),
      false,
    ],
    ["one that is as the template", viewOf(machineWith()), false],
  ])("%s", (_, view, differs) => {
    const settled = outOfSync(viewOf(machineWith())).length > 0;
    expect([settled, outOfSync(view).length > 0]).toEqual([false, differs]);
  });

  it("are patched behind their objects, so that a crash between the two loses no key", async () => {
    const stale = machineWith({ labels: { tier: "old" } });
    expect(await patched(stale, found(config({ tier: "old" })))).toEqual(["FooConfig"]);
    expect(await patched(stale, found(config()))).toEqual(["Machine"]);
    expect(await patched(stale, missing(config()))).toEqual(["Machine"]);
  });

  it("are patched alone while they are going", async () => {
    expect(
      await patched(machineWith({ ...GOING, labels: { tier: "old" } }), found(config({ tier: "old" }))),
    ).toEqual(["Machine"]);
  });
});
