import { describe, expect, it } from "vitest";
import { controlPlaneCounters, workerCounters } from "../../../../functions/cluster/rules/counters.ts";
import { cluster, machinePool, type ProviderObject } from "../../../support/builders.ts";
import { fooControlPlane, found, missing, unresolved } from "../../../support/foo-cluster.ts";

const STORED = cluster({
  status: { controlPlane: { replicas: 9, readyReplicas: 9, versions: [{ version: "v1.0.0", replicas: 9 }] } },
});

function reporting(status: ProviderObject["status"], spec: ProviderObject["spec"] = { replicas: 3 }) {
  return fooControlPlane({ spec, status });
}

describe("controlPlaneCounters", () => {
  it("mirrors what a v1beta2 object reports", () => {
    const object = reporting({
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      upToDateReplicas: 0,
      versions: [
        { version: "v1.33.0", replicas: 1 },
        { version: "v1.34.0", replicas: 2 },
      ],
    });
    expect(controlPlaneCounters(cluster(), found(object))).toEqual({
      desiredReplicas: 3,
      replicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      upToDateReplicas: 0,
      versions: [
        { version: "v1.33.0", replicas: 1 },
        { version: "v1.34.0", replicas: 2 },
      ],
    });
  });

  it.each([
    [
      { unavailableReplicas: 1, updatedReplicas: 2 },
      { replicas: 3 },
      { desiredReplicas: 3, availableReplicas: 2, upToDateReplicas: 2 },
    ],
    [{ unavailableReplicas: 5 }, { replicas: 3 }, { desiredReplicas: 3, availableReplicas: 0 }],
    [{ unavailableReplicas: 1 }, {}, undefined],
    [{ availableReplicas: 1 }, { replicas: 3 }, { desiredReplicas: 3 }],
  ])(
    "computes available replicas of a v1beta1 object only from both counts: %o of %o",
    (status, spec, counters) => {
      const object = { ...fooControlPlane(), spec, status };
      expect(controlPlaneCounters(cluster(), found(object, "v1beta1"))).toEqual(counters);
    },
  );

  it("keeps the last value of a counter that is no longer reported or has a wrong type, but not versions", () => {
    const object = { ...fooControlPlane(), spec: {}, status: { replicas: 2, readyReplicas: "two" } };
    expect(controlPlaneCounters(STORED, found(object))).toEqual({ replicas: 2, readyReplicas: 9 });
  });

  it.each([
    [
      "unordered",
      [
        { version: "v1.34.0", replicas: 1 },
        { version: "v1.33.0", replicas: 1 },
      ],
    ],
    ["without semantic versions", [{ version: "latest", replicas: 1 }]],
    ["with a negative count", [{ version: "v1.34.0", replicas: -1 }]],
    ["that is not a list", "v1.34.0"],
  ])("keeps the old versions when the new list is %s", (_, versions) => {
    expect(controlPlaneCounters(STORED, found(reporting({ versions })))).toMatchObject({
      desiredReplicas: 3,
      versions: [{ version: "v1.0.0", replicas: 9 }],
    });
  });

  it("leaves out a version that no replica has, for the schema has no place for it", () => {
    const versions = [
      { version: "v1.33.0", replicas: 0 },
      { version: "v1.34.0", replicas: 3 },
    ];
    expect(controlPlaneCounters(cluster(), found(reporting({ versions })))).toMatchObject({
      versions: [{ version: "v1.34.0", replicas: 3 }],
    });
  });

  it("unsets every counter when the object is missing", () => {
    expect(controlPlaneCounters(STORED, missing("FooControlPlane"))).toBeUndefined();
  });

  it.each([
    ["cannot be read", unresolved()],
    ["is not ours yet", found(fooControlPlane({ metadata: { ownerReferences: undefined } }))],
  ])("keeps every counter while the object %s", (_, provider) => {
    expect(controlPlaneCounters(STORED, provider)).toEqual(STORED.status?.controlPlane);
  });
});

describe("workerCounters", () => {
  it("leaves a counter unset that no worker reports", () => {
    const pools = [machinePool({ status: { replicas: 1 } }), machinePool({ spec: { replicas: undefined } })];
    expect(workerCounters(pools)).toEqual({ desiredReplicas: 3, replicas: 1 });
    expect(workerCounters([])).toBeUndefined();
  });

  it("adds versions up in ascending order", () => {
    const versions = (...names: readonly string[]) =>
      machinePool({ status: { versions: names.map((version) => ({ version, replicas: 2 })) } });
    expect(workerCounters([versions("v1.34.0", "v1.9.0"), versions("v1.34.0")])?.versions).toEqual([
      { version: "v1.9.0", replicas: 2 },
      { version: "v1.34.0", replicas: 4 },
    ]);
  });
});
