import { describe, expect, it } from "vitest";
import { mhcGuard } from "../../../functions/mhc/guard.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster, type Overrides } from "../../support/builders.ts";
import { OWNED_BY_C1 } from "../../support/foo-cluster.ts";
import { healthCheck } from "../../support/health-checks.ts";
import { decide, given } from "../../support/world.ts";

const NEW: Overrides<MachineHealthCheck> = {
  metadata: { labels: undefined, ownerReferences: undefined },
  spec: { checks: undefined },
};
const TIMEOUT = 600;

async function operations(overrides: Overrides<MachineHealthCheck>, of = cluster()) {
  const { patch } = await decide(mhcGuard, given(of, healthCheck(overrides)));
  return patch?.flatMap((each) => each.operations) ?? [];
}

describe("mhc-guard", () => {
  it("waits for the Cluster and writes nothing", async () => {
    expect(await decide(mhcGuard, given(healthCheck(NEW)))).toEqual({
      result: waitFor("Cluster.metadata.uid"),
    });
  });

  it("adds label, owner reference and startup timeout in one patch, and no finalizer", async () => {
    const { patch, result } = await decide(mhcGuard, given(cluster(), healthCheck(NEW)));
    expect(result).toEqual(done);
    expect(patch).toEqual([
      {
        target: expect.objectContaining({ name: "h1", uid: "uid-h1", resourceVersion: "50" }),
        operations: [
          { op: "add", path: "/metadata/labels", value: { "cluster.x-k8s.io/cluster-name": "c1" } },
          { op: "add", path: "/metadata/ownerReferences", value: [OWNED_BY_C1] },
          { op: "add", path: "/spec/checks", value: { nodeStartupTimeoutSeconds: TIMEOUT } },
        ],
      },
    ]);
  });

  it("has nothing to write for a guarded health check", async () => {
    expect(await operations({})).toEqual([]);
  });

  it("corrects the label and keeps the others", async () => {
    const labels = { tier: "a", "cluster.x-k8s.io/cluster-name": "other" };
    expect(await operations({ metadata: { labels } })).toEqual([
      { op: "add", path: "/metadata/labels/cluster.x-k8s.io~1cluster-name", value: "c1" },
    ]);
  });

  it("replaces a reference to the Cluster from before a move, and keeps other owners", async () => {
    const other = { apiVersion: "example.com/v1", kind: "Stack", name: "s", uid: "uid-s" };
    const stale = { ...OWNED_BY_C1, apiVersion: "cluster.x-k8s.io/v1beta1", uid: "uid-old" };
    expect(await operations({ metadata: { ownerReferences: [other, stale] } })).toEqual([
      { op: "test", path: "/metadata/ownerReferences/1", value: stale },
      { op: "replace", path: "/metadata/ownerReferences/1", value: OWNED_BY_C1 },
    ]);
  });

  it("adds an absent startup timeout to the other checks, and leaves any that is there", async () => {
    const absent = { spec: { checks: { nodeStartupTimeoutSeconds: undefined } } };
    expect(await operations(absent)).toEqual([
      { op: "add", path: "/spec/checks/nodeStartupTimeoutSeconds", value: TIMEOUT },
    ]);
    expect(await operations({ spec: { checks: { nodeStartupTimeoutSeconds: 0 } } })).toEqual([]);
    expect(await operations({ spec: { checks: { nodeStartupTimeoutSeconds: 10 } } })).toEqual([]);
  });

  it.each<[string, Overrides<MachineHealthCheck>, ReturnType<typeof cluster>]>([
    [
      "is paused",
      { ...NEW, metadata: { ...NEW.metadata, annotations: { "cluster.x-k8s.io/paused": "" } } },
      cluster(),
    ],
    ["belongs to a paused Cluster", NEW, cluster({ spec: { paused: true } })],
    [
      "is being deleted",
      { ...NEW, metadata: { ...NEW.metadata, deletionTimestamp: "2026-01-01T11:00:00Z" } },
      cluster(),
    ],
  ])("leaves alone what %s", async (...[, overrides, of]) => {
    expect(await operations(overrides, of)).toEqual([]);
  });
});
