import { describe, expect, it } from "vitest";
import { machinepoolGuard } from "../../../functions/machinepool/guard.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster, machinePool } from "../../support/builders.ts";
import { decide, given } from "../../support/world.ts";

const NEW = { finalizers: undefined, labels: undefined, ownerReferences: undefined };
const ADD_FINALIZER = {
  op: "add",
  path: "/metadata/finalizers",
  value: ["machinepool.cluster.x-k8s.io"],
};
const ADD_LABEL = {
  op: "add",
  path: "/metadata/labels",
  value: { "cluster.x-k8s.io/cluster-name": "c1" },
};
const ADD_OWNER = {
  op: "add",
  path: "/metadata/ownerReferences",
  value: [{ apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster", name: "c1", uid: "uid-c1" }],
};

async function operations(...objects: readonly KubeObject[]) {
  return (await decide(machinepoolGuard, given(...objects))).patch?.flatMap((patch) => patch.operations);
}

describe("machinepool-guard", () => {
  it("waits for the Cluster and writes nothing", async () => {
    expect(await decide(machinepoolGuard, given(machinePool({ metadata: NEW })))).toEqual({
      result: waitFor("Cluster.metadata.uid"),
    });
  });

  it("adds finalizer, label and owner reference in one patch guarded by uid and resourceVersion", async () => {
    const decision = await decide(machinepoolGuard, given(cluster(), machinePool({ metadata: NEW })));
    expect(decision.patch).toHaveLength(1);
    expect(decision.patch?.[0]?.target).toMatchObject({ name: "p1", uid: "uid-p1", resourceVersion: "20" });
    expect(decision.patch?.[0]?.operations).toEqual([ADD_FINALIZER, ADD_LABEL, ADD_OWNER]);
    expect(decision.result).toEqual(done);
  });

  it("has nothing to write for a guarded pool", async () => {
    expect(await operations(cluster(), machinePool())).toEqual([]);
  });

  it("appends its finalizer after those of others", async () => {
    const pool = machinePool({ metadata: { finalizers: ["example.com/keep"] } });
    expect(await operations(cluster(), pool)).toEqual([
      { op: "add", path: "/metadata/finalizers/-", value: "machinepool.cluster.x-k8s.io" },
    ]);
  });

  it("adds only the finalizer while the Cluster is paused", async () => {
    const paused = cluster({ spec: { paused: true } });
    expect(await operations(paused, machinePool({ metadata: NEW }))).toEqual([ADD_FINALIZER]);
  });

  it("adds only the finalizer while the pool has the paused annotation, whatever its value", async () => {
    const pool = machinePool({ metadata: { ...NEW, annotations: { "cluster.x-k8s.io/paused": "false" } } });
    expect(await operations(cluster(), pool)).toEqual([ADD_FINALIZER]);
  });

  it("refreshes label and owner reference of a deleted pool without adding the finalizer", async () => {
    const pool = machinePool({ metadata: { ...NEW, deletionTimestamp: "2026-01-01T11:59:00Z" } });
    expect(await operations(cluster(), pool)).toEqual([ADD_LABEL, ADD_OWNER]);
  });

  it("leaves a pool alone that is paused and deleted", async () => {
    const pool = machinePool({ metadata: { ...NEW, deletionTimestamp: "2026-01-01T11:59:00Z" } });
    expect(await operations(cluster({ spec: { paused: true } }), pool)).toEqual([]);
  });

  it("replaces the reference to a Cluster from before a move at its index", async () => {
    const stale = { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "Cluster", name: "c1", uid: "uid-old" };
    const other = { apiVersion: "example.com/v1", kind: "Team", name: "t", uid: "uid-t" };
    const pool = machinePool({ metadata: { ownerReferences: [other, stale] } });
    expect(await operations(cluster(), pool)).toEqual([
      { op: "test", path: "/metadata/ownerReferences/1", value: stale },
      { op: "replace", path: "/metadata/ownerReferences/1", value: ADD_OWNER.value[0] },
    ]);
  });

  it("corrects a wrong cluster label", async () => {
    const pool = machinePool({ metadata: { labels: { "cluster.x-k8s.io/cluster-name": "other" } } });
    expect(await operations(cluster(), pool)).toEqual([
      { op: "add", path: "/metadata/labels/cluster.x-k8s.io~1cluster-name", value: "c1" },
    ]);
  });

  it("writes the defaults that no admission has written", async () => {
    const pool = machinePool({ spec: { replicas: undefined, template: { spec: { deletion: undefined } } } });
    expect(await operations(cluster(), pool)).toEqual([
      { op: "add", path: "/spec/replicas", value: 1 },
      { op: "add", path: "/spec/template/spec/deletion", value: { nodeDeletionTimeoutSeconds: 10 } },
    ]);
  });

  it("reports nothing of a pool that is paused or being deleted", async () => {
    const version = { spec: { template: { spec: { version: "v1.34" } } } };
    const events = async (...objects: readonly KubeObject[]) =>
      (await decide(machinepoolGuard, given(...objects))).events?.map(({ reason }) => reason);
    const leaving = { metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } };
    expect(await events(cluster(), machinePool(version))).toEqual(["InvalidVersion"]);
    expect(await events(cluster({ spec: { paused: true } }), machinePool(version))).toEqual([]);
    expect(await events(cluster(), machinePool({ ...version, ...leaving }))).toEqual([]);
  });

  it("reports by events what admission would have refused, and continues", async () => {
    const pool = machinePool({
      spec: {
        template: {
          spec: {
            clusterName: "c2",
            version: "v1.34",
            bootstrap: { configRef: undefined, dataSecretName: undefined },
          },
        },
      },
    });
    const { events, result } = await decide(machinepoolGuard, given(cluster(), pool));
    expect(events?.map(({ message }) => message)).toEqual([
      "spec.template.spec.bootstrap needs configRef or dataSecretName",
      "spec.template.spec.version v1.34 is not a semantic version",
      "spec.template.spec.clusterName is not c1",
    ]);
    expect(result).toEqual(done);
  });
});
