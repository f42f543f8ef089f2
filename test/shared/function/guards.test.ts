import { describe, expect, it } from "vitest";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import {
  deleting,
  done,
  guarded,
  has,
  hasCluster,
  isAtRest,
  kept,
  refusedBy,
  unpaused,
  waitFor,
  workable,
} from "../../../shared/function/define-function.ts";
import { cluster, machinePool } from "../../support/builders.ts";

const FINALIZER = "machinepool.cluster.x-k8s.io";
const PAUSED = cluster({ spec: { paused: true } });
const UNGUARDED = machinePool({ metadata: { finalizers: ["other"] } });
const DELETED = machinePool({
  metadata: { deletionTimestamp: "2026-01-01T11:00:00Z", finalizers: undefined },
});

describe("the guards of an object that is worked on", () => {
  it.each([
    ["nothing refuses a guarded object", machinePool(), cluster(), undefined],
    ["no Cluster", machinePool(), undefined, waitFor("Cluster.metadata.uid")],
    ["a paused Cluster", machinePool(), PAUSED, waitFor("Cluster.spec.paused")],
    [
      "its own annotation",
      machinePool({ metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } }),
      cluster(),
      waitFor("MachinePool.metadata.annotations[cluster.x-k8s.io/paused]"),
    ],
    ["no finalizer", UNGUARDED, cluster(), waitFor("MachinePool.metadata.finalizers")],
    ["a pause, before the finalizer is missed", UNGUARDED, PAUSED, waitFor("Cluster.spec.paused")],
    ["its deletion, whatever else refuses it", DELETED, PAUSED, done],
  ])("%s", (_, object, of, expected) => {
    expect(refusedBy(workable(FINALIZER), object, of)?.result).toEqual(expected);
  });
});

describe("guards by themselves", () => {
  it("miss the finalizer of an object that lives, or of any", () => {
    const missed = waitFor("MachinePool.metadata.finalizers");
    expect(guarded(FINALIZER).refuses(UNGUARDED, undefined)).toEqual(missed);
    expect(guarded(FINALIZER).refuses(machinePool(), undefined)).toBeUndefined();
    expect(guarded(FINALIZER).refuses(DELETED, undefined)).toBeUndefined();
    expect(kept(FINALIZER).refuses(DELETED, undefined)).toEqual(missed);
    expect(kept(FINALIZER).refuses(machinePool(), undefined)).toBeUndefined();
  });

  it("want a deletion, or a field", () => {
    expect(deleting.refuses(machinePool(), undefined)).toEqual(done);
    expect(deleting.refuses(DELETED, undefined)).toBeUndefined();
    const without = machinePool({ spec: { providerIDList: undefined } });
    expect(has("spec.providerIDList").refuses(without, undefined)).toEqual(
      waitFor(`${MachinePool.kind}.spec.providerIDList`),
    );
    expect(has("spec.clusterName").refuses(without, undefined)).toBeUndefined();
  });

  it("refuse nothing that they are not asked about", () => {
    expect(hasCluster.refuses(DELETED, PAUSED)).toBeUndefined();
    expect(unpaused.refuses(DELETED, undefined)).toBeUndefined();
  });

  it("leave an object at rest while it is paused or being deleted", () => {
    expect(isAtRest(machinePool(), cluster())).toBe(false);
    expect(isAtRest(machinePool(), PAUSED)).toBe(true);
    expect(isAtRest(DELETED, cluster())).toBe(true);
  });
});
