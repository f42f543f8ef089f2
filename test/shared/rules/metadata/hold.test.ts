import { describe, expect, it } from "vitest";
import { done, waitFor } from "../../../../shared/function/result.ts";
import { hold, isAtRest, unguarded } from "../../../../shared/rules/metadata/hold.ts";
import { cluster, machinePool } from "../../../support/builders.ts";

const FINALIZER = "machinepool.cluster.x-k8s.io";
const PAUSED = cluster({ spec: { paused: true } });
const UNGUARDED = machinePool({ metadata: { finalizers: ["other"] } });
const DELETED = machinePool({
  metadata: { deletionTimestamp: "2026-01-01T11:00:00Z", finalizers: undefined },
});

describe("hold", () => {
  it.each([
    ["nothing holds a guarded object", machinePool(), cluster(), undefined],
    ["no Cluster", machinePool(), undefined, waitFor("Cluster.metadata.uid")],
    ["a paused Cluster", machinePool(), PAUSED, waitFor("Cluster.spec.paused")],
    ["no finalizer", UNGUARDED, cluster(), waitFor("MachinePool.metadata.finalizers")],
    ["a pause, before the finalizer is missed", UNGUARDED, PAUSED, waitFor("Cluster.spec.paused")],
    ["its deletion, whatever else holds it", DELETED, PAUSED, done],
  ])("%s", (_, object, of, expected) => {
    expect(hold(object, of, FINALIZER)).toEqual(expected);
  });
});

describe("what less than a hold asks", () => {
  it("misses the finalizer of an object that lives, and of no other", () => {
    expect(unguarded(UNGUARDED, FINALIZER)).toEqual(waitFor("MachinePool.metadata.finalizers"));
    expect(unguarded(machinePool(), FINALIZER)).toBeUndefined();
    expect(unguarded(DELETED, FINALIZER)).toBeUndefined();
  });

  it("is at rest while it is paused or being deleted", () => {
    expect(isAtRest(machinePool(), cluster())).toBe(false);
    expect(isAtRest(machinePool(), PAUSED)).toBe(true);
    expect(isAtRest(DELETED, cluster())).toBe(true);
  });
});
