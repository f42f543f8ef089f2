import { describe, expect, it } from "vitest";
import type { RoleOf } from "../../../../../infra/providers/contract/probe/scratch.ts";
import {
  follows,
  isReady,
  isRestored,
  objectsIn,
  sameState,
  says,
  silent,
  templatesIn,
  unready,
} from "../../../../../infra/providers/contract/probe/views.ts";
import { groupOf, type KubeObject } from "../../../../../shared/api/kinds.ts";
import { contractRoleOf } from "../../../../../shared/contract/rules/crd/contract-kinds.ts";
import { at, core, foo, owner } from "../../../../support/contract/life.ts";

const roleOf: RoleOf = ({ apiVersion, kind }) => contractRoleOf(groupOf(apiVersion), kind);
const PROVISIONED = { status: { initialization: { infrastructureProvisioned: true }, replicas: 2 } };
const CLUSTER = core("Cluster", "c1", PROVISIONED);
const REF = { kind: "FooMachinePool", name: "p1" };
const POOL = core("MachinePool", "p1", {
  ...PROVISIONED,
  spec: { replicas: 2, template: { spec: { infrastructureRef: REF } } },
});

function infra(content: object): KubeObject {
  return foo("FooMachinePool", "p1", { ...content });
}

describe("a look at the namespace of a probe", () => {
  it("separates provider objects from templates and from kinds without a contract", () => {
    const names = ["FooMachinePool", "FooMachineTemplate", "FooIdentity", "FooCluster"];
    const snapshot = at(CLUSTER, ...names.map((kind) => foo(kind, "x", {})));
    expect(objectsIn(roleOf, snapshot).map(({ kind }) => kind)).toEqual(["FooMachinePool", "FooCluster"]);
    expect(templatesIn(roleOf, snapshot).map(({ kind }) => kind)).toEqual(["FooMachineTemplate"]);
  });

  it("names everything that is not as it was asked for", () => {
    expect(unready(roleOf, at(CLUSTER, POOL))).toEqual([]);
    expect(unready(roleOf, at())).toEqual(["the manifest has no Cluster"]);
    const young = core("MachinePool", "p1", { spec: { replicas: 2 }, status: { replicas: 1 } });
    expect(unready(roleOf, at(CLUSTER, young))).toEqual([
      "MachinePool p1 is not provisioned",
      "MachinePool p1 has 1 of 2 replicas",
    ]);
  });

  it("says whether core or a provider has never answered", () => {
    const cluster = core("Cluster", "c1");
    expect(silent(roleOf, at(cluster))).toEqual([
      "no core has answered Cluster c1; start Capstan or Cluster API",
    ]);
    const owned = foo("FooCluster", "c1", { metadata: { ownerReferences: [owner(cluster)] } });
    const answered = core("Cluster", "c1", { metadata: { finalizers: ["core"] } });
    expect(silent(roleOf, at(answered, owned))).toEqual([
      "no provider has answered FooCluster c1; start the provider of FooCluster",
    ]);
    expect(silent(roleOf, at(answered, foo("FooCluster", "c1", {})))).toEqual([]);
  });

  it("sees a pool follow its replicas by list and both counters", () => {
    const two = infra({ spec: { providerIDList: ["a", "b"] }, status: { replicas: 2 } });
    expect(follows(at(POOL, two), POOL, 2)).toBe(true);
    expect(follows(at(POOL, two), POOL, 3)).toBe(false);
    expect(
      follows(at(POOL, infra({ spec: { providerIDList: ["a", "a"] }, status: { replicas: 2 } })), POOL, 2),
    ).toBe(false);
    expect(follows(at(POOL), POOL, 2)).toBe(false);
  });

  it("believes the condition Paused for the present generation only", () => {
    const paused = (observedGeneration?: number) =>
      foo("FooMachinePool", "p1", {
        metadata: { generation: 3 },
        status: { conditions: [{ type: "Paused", status: "True", observedGeneration }] },
      });
    expect([3, 2, undefined].map((generation) => says(paused(generation), "True"))).toEqual([
      true,
      false,
      true,
    ]);
    expect(says(paused(3), "False")).toBe(false);
  });

  it.each<[string, object, boolean]>([
    ["FooControlPlane", { initialized: true }, true],
    ["FooControlPlane", { initialization: { controlPlaneInitialized: true } }, true],
    ["FooControlPlane", { ready: true }, false],
    ["FooCluster", { ready: true }, true],
    ["FooCluster", { initialization: { provisioned: true } }, true],
    ["FooCluster", {}, false],
  ])("finds a %s with status %j ready: %s", (kind, status, ready) => {
    expect(isReady(roleOf, foo(kind, "c1", { status }))).toBe(ready);
  });

  it("takes a state for the same whatever its versions and labels, but not its spec", () => {
    const version = (resourceVersion: string, content: object = {}) =>
      at(foo("FooCluster", "c1", { metadata: { resourceVersion }, ...content }));
    expect(sameState(version("1"), version("2"))).toBe(true);
    expect(sameState(version("1"), version("2", { spec: { size: 1 } }))).toBe(false);
    expect(sameState(version("1"), at())).toBe(false);
  });

  it("waits for the fields that a wiped status has to get back, and for no others", () => {
    const was = infra({ status: { ready: true, dataSecretName: "one", lastProbe: "09:00", conditions: [] } });
    const before = at(was);
    const restored = (status: object) => isRestored(roleOf, before, at(infra({ status })));
    expect(restored({ ready: true, dataSecretName: "two", lastProbe: "10:00" })).toBe(true);
    expect(restored({ ready: true })).toBe(false);
    expect(restored({ dataSecretName: "one" })).toBe(false);
    expect(isRestored(roleOf, before, at())).toBe(false);
  });
});
