import { describe, expect, it } from "vitest";
import { clusterresourcesetApply } from "../../../functions/clusterresourceset/apply.ts";
import type { ClusterResourceSet } from "../../../shared/api/clusterresourceset.ts";
import { PAUSED_ANNOTATION } from "../../../shared/api/indexes.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { AnyDecision } from "../../../shared/function/define-function.ts";
import type { DeliveryAnswer } from "../../../shared/function/manifests.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { settle } from "../../../shared/runtime/write/settle.ts";
import { connection } from "../../support/builders.ts";
import {
  manifestMap,
  manifestSecret,
  NAMESPACE,
  NAMESPACE_HASH,
  OWNED_BY_S1,
  resourceBinding,
  resourceSet,
  selectedCluster,
} from "../../support/resource-sets.ts";
import { decide, given, NOW } from "../../support/world.ts";

const NOW_TEXT = "2026-01-01T12:00:00Z";
const ENTRY = { kind: "ConfigMap", name: "cni", hash: NAMESPACE_HASH, lastAppliedTime: NOW_TEXT } as const;
const RECONCILE = { spec: { strategy: "Reconcile" } } as const;

/** Decides for Cluster c1 with one set, connected. */
async function decided(set: ClusterResourceSet, ...more: readonly KubeObject[]): Promise<AnyDecision> {
  return decide(clusterresourcesetApply, given(selectedCluster(), connection(), set, ...more));
}

async function answered(decision: Promise<AnyDecision>, ...answers: readonly DeliveryAnswer[]) {
  return settle(await decision, answers);
}

describe("clusterresourceset-apply", () => {
  it("delivers by name and hash, and creates the binding with what was applied", async () => {
    const decision = decided(resourceSet(), manifestMap());
    expect((await decision).deliver?.of).toEqual([
      {
        cluster: "default/c1",
        source: expect.objectContaining({ name: "cni", uid: "uid-cni", resourceVersion: "90" }),
        hash: NAMESPACE_HASH,
        verb: "create",
      },
    ]);
    const { create, events, result } = await answered(decision, { type: "applied" });
    expect(create).toMatchObject([
      {
        object: {
          metadata: { namespace: "default", name: "c1", ownerReferences: [OWNED_BY_S1] },
          spec: {
            clusterName: "c1",
            bindings: [{ clusterResourceSetName: "s1", resources: [{ ...ENTRY, applied: true }] }],
          },
        },
      },
    ]);
    expect(events).toMatchObject([{ type: "Normal", reason: "ResourcesApplied" }]);
    expect(result).toEqual(done);
  });

  it("never reads again what ApplyOnce has applied; Reconcile delivers another hash", async () => {
    const applied = resourceBinding([{ ...ENTRY, hash: "sha256:old", applied: true }]);
    expect(await decided(resourceSet(), applied)).toEqual({ events: [], result: done });
    const { deliver } = await decided(resourceSet(RECONCILE), applied, manifestMap());
    expect(deliver?.of).toMatchObject([{ hash: NAMESPACE_HASH, verb: "apply" }]);
    const same = resourceBinding([{ ...ENTRY, applied: true }]);
    expect(await decided(resourceSet(RECONCILE), same, manifestMap())).toEqual({ events: [], result: done });
  });

  it("says what has failed, keeps the entries of others, and tries again after as long as it has failed", async () => {
    const other = {
      clusterResourceSetName: "s2",
      resources: [{ ...ENTRY, hash: "sha256:other", applied: true }],
    };
    const since = new Date(NOW.getTime() - 60_000).toISOString();
    const before = JSON.stringify({ s1: { reason: "NotApplied", problems: ["x"], since } });
    const binding = resourceBinding([], {
      metadata: { annotations: { "capstan.dev/not-applied": before } },
      spec: { bindings: [other] },
    });
    const decision = decided(resourceSet(), binding, manifestMap());
    const { patch, events, result } = await answered(decision, { type: "failed", problems: ["no"] });
    const entry = { clusterResourceSetName: "s1", resources: [{ ...ENTRY, applied: false }] };
    const problems = ["ConfigMap cni: no"];
    expect(patch?.[0]?.operations).toEqual([
      {
        op: "add",
        path: "/metadata/annotations/capstan.dev~1not-applied",
        value: JSON.stringify({ s1: { reason: "NotApplied", problems, since } }),
      },
      { op: "add", path: "/spec", value: { clusterName: "c1", bindings: [other, entry] } },
    ]);
    expect(events).toEqual([]);
    expect(result).toEqual(requeueAfter(60_000, "ClusterResourceSet s1: ConfigMap cni: no"));
    const unreadable = await answered(decision, { type: "failed", problems: ["no"], isUnreadable: true });
    expect(JSON.stringify(unreadable.patch)).not.toContain(NAMESPACE_HASH);
    const well = await answered(decision, { type: "applied" });
    expect(well.patch?.[0]?.operations[0]).toEqual({
      op: "remove",
      path: "/metadata/annotations/capstan.dev~1not-applied",
    });
  });

  it("continues without a resource that is missing, and with none beside a Secret of another type or one without data", async () => {
    const resources = [
      { kind: "ConfigMap", name: "cni" },
      { kind: "Secret", name: "late" },
    ] as const;
    const set = resourceSet({ spec: { resources } });
    expect((await decided(set, manifestMap())).deliver?.of).toHaveLength(1);
    const foreign = await decided(set, manifestMap(), manifestSecret(NAMESPACE, "Opaque"));
    expect(foreign.deliver).toBeUndefined();
    expect(JSON.stringify(foreign.create)).toContain("Secret type of resource late is not supported");
    const empty = await decided(set, manifestMap({}), manifestSecret(NAMESPACE));
    expect(JSON.stringify(empty.create)).toContain("ConfigMap cni has no data");
  });

  it("leaves alone what nothing selects, paused sets, and Clusters without a connection", async () => {
    const paused = resourceSet({ metadata: { annotations: { [PAUSED_ANNOTATION]: "" } } });
    const elsewhere = resourceSet({ spec: { clusterSelector: { matchLabels: { cni: "no" } } } });
    for (const set of [paused, elsewhere])
      expect(await decided(set, manifestMap())).toEqual({ result: done });
    const alone = await decide(
      clusterresourcesetApply,
      given(selectedCluster(), resourceSet(), manifestMap()),
    );
    expect(alone).toEqual({ result: waitFor("Connection.status.state") });
  });

  it("looks at Secrets that it reconciles from time to time, and never shows a value", async () => {
    const spec = { resources: [{ kind: "Secret", name: "late" }], strategy: "Reconcile" } as const;
    const decision = decided(resourceSet({ spec }), manifestSecret("canary-of-the-secret"));
    expect(JSON.stringify(await decision)).not.toContain("canary");
    const { result } = await answered(decision, { type: "applied" });
    expect(result).toEqual(requeueAfter(300_000, "a change of a Secret, which not every relay may watch"));
  });
});
