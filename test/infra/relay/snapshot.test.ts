import { describe, expect, it } from "vitest";
import { toCrd } from "../../../infra/platform/crds/crd.ts";
import { packageVersion } from "../../../infra/platform/package-version.ts";
import { markWatched, removalVersion, snapshotOf } from "../../../infra/relay/snapshot.ts";
import { BROUGHT_BY, type CustomResourceDefinition } from "../../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { managersOf } from "../../../shared/function/define-function.ts";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";

const CANARY = "canary-never-stored";
/** All ten: Machines repeat them. */
const NODE_INFO = {
  architecture: "arm64",
  bootID: "b1",
  containerRuntimeVersion: "containerd://2.1.0",
  kernelVersion: "6.12",
  kubeProxyVersion: "",
  kubeletVersion: "v1.34.0",
  machineID: "m1",
  operatingSystem: "linux",
  osImage: "Linux",
  systemUUID: "s1",
};

function pool(metadata: object): KubeObject {
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "MachinePool",
    metadata: { name: "p1", namespace: "default", uid: "u", resourceVersion: "7", ...metadata },
    spec: { replicas: 3 },
  } as KubeObject;
}

describe("snapshot", () => {
  it("has no managedFields and no last-applied annotation (KR-01, S-22)", () => {
    const annotations = {
      "kubectl.kubernetes.io/last-applied-configuration": CANARY,
      "cluster.x-k8s.io/paused": "",
    };
    const snapshot = snapshotOf(pool({ annotations, managedFields: [{ manager: CANARY }] }), []);
    expect(JSON.stringify(snapshot)).not.toContain(CANARY);
    expect(snapshot.metadata.annotations).toEqual({ "cluster.x-k8s.io/paused": "" });
    expect(snapshot).toMatchObject({ spec: { replicas: 3 } });
  });

  it("keeps who holds the contested paths, by Apply and by Update, in every subresource (KR-01)", () => {
    const managedFields = [
      { manager: "kubectl", operation: "Apply", fieldsV1: { "f:spec": { "f:replicas": {} } } },
      {
        manager: "scaler",
        operation: "Update",
        subresource: "scale",
        fieldsV1: { "f:spec": { "f:replicas": {} } },
      },
      {
        manager: "manager",
        operation: "Update",
        fieldsV1: { "f:spec": { "f:template": { "f:spec": { "f:secret": {} } } } },
      },
      {
        manager: "capstan-x",
        operation: "Apply",
        subresource: "status",
        fieldsV1: { "f:status": { "f:conditions": { 'k:{"type":"Ready"}': { ".": {}, "f:status": {} } } } },
      },
      { manager: "damaged", fieldsV1: { "f:status": { "f:conditions": { "k:{": {} } } } },
      { operation: "Apply" },
    ];
    const paths = [
      "spec.replicas",
      "spec.template.spec.secret",
      "status.conditions[Ready].status",
      "spec.other",
    ];
    const snapshot = snapshotOf(pool({ managedFields }), paths);
    expect(paths.map((path) => managersOf(snapshot, path))).toEqual([
      ["kubectl", "scaler"],
      ["manager"],
      ["capstan-x"],
      [],
    ]);
  });

  it("leaves out managers whose fields are taken over (KR-01)", () => {
    const fieldsV1 = { "f:spec": { "f:replicas": {} } };
    const managedFields = [
      { manager: "argocd", fieldsV1 },
      { manager: "kubectl", fieldsV1 },
    ];
    const snapshot = snapshotOf(pool({ managedFields }), ["spec.replicas"], ["argocd"]);
    expect(managersOf(snapshot, "spec.replicas")).toEqual(["kubectl"]);
  });

  it("does not believe an object that brings its own managers", () => {
    const snapshot = snapshotOf(pool({ managers: { "spec.replicas": ["forged"] } }), ["spec.replicas"]);
    expect(managersOf(snapshot, "spec.replicas")).toEqual([]);
  });

  it("keeps who pauses an object, and whether a provider's object has a status, for people", () => {
    const managedFields = [
      { manager: "kubectl-patch", fieldsV1: { "f:spec": { "f:paused": {} } } },
      {
        manager: "ann",
        fieldsV1: { "f:metadata": { "f:annotations": { "f:cluster.x-k8s.io/paused": {} } } },
      },
    ];
    const cluster = (paused: boolean) => ({ ...pool({ managedFields }), spec: { paused } });
    expect(snapshotOf(cluster(true), []).metadata.pausedBy).toBe("kubectl-patch");
    expect(snapshotOf(cluster(false), []).metadata).not.toHaveProperty("pausedBy");
    const annotated = pool({ managedFields, annotations: { "cluster.x-k8s.io/paused": "" } });
    expect(snapshotOf(annotated, []).metadata).toMatchObject({ pausedBy: "ann" });
    const foreign = { ...pool({ isSilent: true }), apiVersion: "foo.dev/v1", kind: "FooCluster" };
    expect(snapshotOf(foreign, []).metadata.isSilent).toBe(true);
    for (const other of [
      { ...foreign, status: {} },
      { ...foreign, kind: "FooClusterTemplate" },
      pool({ isSilent: true, pausedBy: "forged" }),
    ])
      expect(snapshotOf(other, []).metadata).not.toHaveProperty("isSilent");
  });

  it("reduces a Node to what rules read, without heartbeats (KR-02)", () => {
    const node = (heartbeat: string) =>
      ({
        apiVersion: "v1",
        kind: "Node",
        metadata: {
          name: "n1",
          uid: "u",
          resourceVersion: "7",
          labels: { a: "b" },
          annotations: { "node.alpha/large": CANARY, "cluster.x-k8s.io/machine": "m1" },
          managedFields: [{ manager: CANARY }],
        },
        spec: {
          providerID: "x://1",
          podCIDR: CANARY,
          taints: [{ key: "k", effect: "NoSchedule", timeAdded: CANARY }],
        },
        status: {
          images: [{ names: [CANARY] }],
          addresses: [{ address: CANARY }],
          conditions: [
            {
              type: "Ready",
              status: "True",
              reason: "r",
              message: "m",
              lastHeartbeatTime: heartbeat,
              lastTransitionTime: "t",
            },
          ],
          nodeInfo: { ...NODE_INFO, swap: { capacity: 1 } },
        },
      }) as unknown as KubeObject;
    const snapshot = snapshotOf(node("1"), []);
    expect(snapshot).toEqual(snapshotOf(node("2"), []));
    expect(JSON.stringify(snapshot)).not.toContain(CANARY);
    expect(snapshot).toMatchObject({
      metadata: { labels: { a: "b" }, annotations: { "cluster.x-k8s.io/machine": "m1" } },
      spec: { providerID: "x://1", taints: [{ key: "k", effect: "NoSchedule" }] },
      status: {
        conditions: [{ type: "Ready", lastTransitionTime: "t" }],
        nodeInfo: NODE_INFO,
      },
    });
  });

  it("refuses to store data of a Secret (S-21)", () => {
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
    expect(() => snapshotOf({ ...secret, ...{ data: {} } }, [])).toThrow("never stored");
    expect(snapshotOf(secret, [])).toEqual(secret);
  });

  it("notes which fields of a status the definition of another release lacks", () => {
    const ours = toCrd(MachineSet as Kind) as CustomResourceDefinition;
    const lacking = structuredClone(ours);
    Reflect.deleteProperty(
      valueAt(
        lacking,
        "spec.versions[v1beta2].schema.openAPIV3Schema.properties.status.properties",
      ) as object,
      "versions",
    );
    const [whole, less] = [ours, lacking].map((crd) => snapshotOf(crd, []) as CustomResourceDefinition);
    expect([whole?.status, less?.status]).toEqual([undefined, { lacks: ["status.versions"] }]);
    const open = structuredClone(lacking);
    Reflect.set(
      valueAt(open, "spec.versions[v1beta2].schema.openAPIV3Schema.properties.status") as object,
      "x-kubernetes-preserve-unknown-fields",
      true,
    );
    expect(snapshotOf(open, [])).not.toHaveProperty("status");
    expect(less && markWatched(less).status).toEqual({ watched: true, lacks: ["status.versions"] });
    const annotations = { [BROUGHT_BY]: packageVersion() };
    expect(snapshotOf({ ...lacking, metadata: { ...lacking.metadata, annotations } }, [])).not.toHaveProperty(
      "status",
    );
  });

  it("reduces a CustomResourceDefinition, and orders its marks between two versions of the server", () => {
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {
        name: "foos.x",
        uid: "u",
        resourceVersion: "99",
        labels: { "cluster.x-k8s.io/v1beta2": "v1" },
      },
      spec: {
        group: "x",
        names: { kind: "Foo", plural: "foos", shortNames: ["f"] },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, schema: { description: CANARY } }],
      },
      status: { watched: true, storedVersions: ["v1"] },
    } as unknown as KubeObject;
    const snapshot = snapshotOf(crd, []) as CustomResourceDefinition;
    expect(JSON.stringify(snapshot)).not.toContain(CANARY);
    expect(snapshot.spec.versions).toEqual([{ name: "v1", served: true }]);
    expect(snapshot.status).toBeUndefined();
    const watched = markWatched(snapshot);
    expect(watched.status).toEqual({ watched: true });
    const versions = [snapshot, watched].map(({ metadata }) => metadata.resourceVersion ?? "");
    const rising = [...versions, removalVersion("CustomResourceDefinition", "99"), "1000"];
    expect(rising.every((version, at) => at === 0 || isAtLeast(version, rising[at - 1] ?? ""))).toBe(true);
    expect(removalVersion("MachinePool", "99")).toBe("99");
  });
});
