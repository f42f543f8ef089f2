import { describe, expect, it } from "vitest";
import { clusterStatus } from "../../../functions/cluster/status.ts";
import { cluster, connection, crd } from "../../support/builders.ts";
import {
  deletedCluster,
  FOREIGN_CONTROLLER,
  fooCluster,
  fooControlPlane,
  newCluster,
  OWNED_BY_C1,
  TOPOLOGY,
} from "../../support/foo-cluster.ts";
import { decide, given } from "../../support/world.ts";
import { reported, statusIn, withStatus } from "./reported-status.ts";

const C1 = { host: "c1.example.com", port: 6443 };
const EARLIER = "2026-01-01T11:00:00Z";

/** Cluster c1 a second after its creation, with everything written that comes before the status. */
const READY = newCluster({ metadata: { generation: 2 }, spec: { controlPlaneEndpoint: C1 } });

describe("cluster-status, latches and what is kept", () => {
  const LATCHED = { infrastructureProvisioned: true, controlPlaneInitialized: true };
  const up = cluster({ status: { initialization: LATCHED } });

  it.each([
    [
      "say false",
      [
        fooCluster({ status: { initialization: { provisioned: false } } }),
        fooControlPlane({ status: undefined }),
      ],
    ],
    ["are gone", []],
    [
      "belong to others",
      [
        fooCluster({ metadata: { ownerReferences: [{ ...OWNED_BY_C1, uid: "uid-old" }] } }),
        fooControlPlane({ metadata: { ownerReferences: undefined } }),
      ],
    ],
  ])("keeps both latches when the objects %s", async (_, objects) => {
    expect((await statusIn(given(up, ...objects))).initialization).toEqual(LATCHED);
  });

  it.each([
    ["without our uid", { metadata: { ownerReferences: [{ ...OWNED_BY_C1, uid: "uid-old" }] } }],
    ["that is being deleted", { metadata: { deletionTimestamp: EARLIER } }],
    ["with a flag of a wrong type", { status: { initialization: { provisioned: "yes" } } }],
  ])("sets no latch from an infra object %s", async (_, overrides) => {
    const unset = cluster({ status: undefined });
    const status = await statusIn(given(unset, fooCluster(overrides), fooControlPlane()));
    expect(status.initialization).toEqual({ controlPlaneInitialized: true });
  });

  it("copies a True ControlPlaneInitialized with its time instead of evaluating it", async () => {
    const before = {
      type: "ControlPlaneInitialized",
      status: "True",
      reason: "Initialized",
      message: "",
      lastTransitionTime: EARLIER,
    } as const;
    const status = await statusIn(given(cluster({ status: { conditions: [before] } }), fooCluster()));
    expect(reported(status, "ControlPlaneInitialized")).toEqual({ ...before, observedGeneration: 1 });
  });

  it("never clears a failure and lets the control plane object win", async () => {
    const infra = fooCluster({ status: { failureReason: "Quota", failureMessage: "no quota" } });
    const first = await statusIn(given(cluster(), infra, fooControlPlane()));
    expect(first.deprecated?.v1beta1).toMatchObject({
      failureReason: "Quota",
      failureMessage:
        'Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1, Kind=FooCluster with name "c1-infra": no quota',
    });
    const healed = await statusIn(given(withStatus(cluster(), first), fooCluster(), fooControlPlane()));
    expect(healed.deprecated?.v1beta1).toMatchObject({ failureReason: "Quota" });
    const both = await statusIn(
      given(cluster(), infra, fooControlPlane({ status: { failureReason: "Lost" } })),
    );
    expect(both.deprecated?.v1beta1).toMatchObject({ failureReason: "Lost" });
    expect(both.phase).toBe("Provisioned");
  });

  it("keeps everything of an object whose CRD lost its contract label, and names the CRD", async () => {
    const unlabelled = crd("infrastructure.cluster.x-k8s.io", "FooCluster", {
      metadata: { labels: { "cluster.x-k8s.io/v1beta2": undefined } },
    });
    const before = cluster({ status: { failureDomains: [{ name: "a", controlPlane: true }] } });
    const status = await statusIn(given(unlabelled, before, fooCluster(), fooControlPlane()));
    expect(status).toMatchObject({
      initialization: { infrastructureProvisioned: true },
      failureDomains: [{ name: "a", controlPlane: true }],
    });
    expect(reported(status, "InfrastructureReady")).toMatchObject({
      status: "Unknown",
      reason: "InternalError",
      message: expect.stringContaining("fooclusters.infrastructure.cluster.x-k8s.io"),
    });
    expect(reported(status, "ControlPlaneAvailable")).toMatchObject({ status: "True" });
  });

  it("keeps a bad list of failure domains out, says so, and writes the rest", async () => {
    const before = cluster({ status: { failureDomains: [{ name: "a", controlPlane: true }] } });
    const infra = fooCluster({ status: { failureDomains: { b: {} } } });
    const status = await statusIn(given(before, infra, fooControlPlane()));
    expect(status.failureDomains).toEqual([{ name: "a", controlPlane: true }]);
    expect(reported(status, "InfrastructureReady")).toMatchObject({
      message: "status.failureDomains is not a list of failure domains",
    });
  });

  it("still reads failure domains of an infra object whose flag went back", async () => {
    const infra = fooCluster({
      status: { initialization: { provisioned: false }, failureDomains: [{ name: "b" }, { name: "a" }] },
    });
    expect((await statusIn(given(up, infra, fooControlPlane()))).failureDomains).toEqual([
      { name: "a", controlPlane: false },
      { name: "b", controlPlane: false },
    ]);
  });

  it("says whose an infra object is that a topology may not take over", async () => {
    const infra = fooCluster({ metadata: { ownerReferences: [FOREIGN_CONTROLLER] } });
    const status = await statusIn(given(cluster({ spec: { topology: TOPOLOGY } }), infra, fooControlPlane()));
    expect(reported(status, "InfrastructureReady")).toMatchObject({
      status: "False",
      reason: "NotReady",
      message: "FooCluster c1-infra is controlled by Composition stack",
    });
  });

  it("sets the infrastructure latch of a Cluster without infra object, except while it is deleted", async () => {
    const alone = { spec: { infrastructureRef: undefined }, status: undefined };
    expect((await statusIn(given(cluster(alone), fooControlPlane()))).initialization).toMatchObject({
      infrastructureProvisioned: true,
    });
    expect((await statusIn(given(deletedCluster(alone), fooControlPlane()))).initialization).toEqual({
      controlPlaneInitialized: true,
    });
  });
});

describe("cluster-status, what others keep in it", () => {
  const GATE = {
    type: "example.com/Gate",
    status: "True",
    reason: "Open",
    message: "",
    lastTransitionTime: EARLIER,
  } as const;

  it("never applies conditions and upgrade plans of others", async () => {
    const shared = cluster({
      status: { conditions: [GATE], workers: { upgradePlan: [{ version: "v1.35.0" }] } },
    });
    const status = await statusIn(given(shared, fooCluster(), fooControlPlane()));
    expect(reported(status, GATE.type)).toBeUndefined();
    expect(status).not.toHaveProperty("workers");
  });

  it("counts a gate of another writer and one that is not reported", async () => {
    const gated = cluster({
      spec: { availabilityGates: [{ conditionType: GATE.type }, { conditionType: "example.com/Other" }] },
      status: { conditions: [GATE] },
    });
    const status = await statusIn(given(gated, fooCluster(), fooControlPlane(), connection()));
    expect(reported(status, "Available")).toMatchObject({
      status: "Unknown",
      message: "* example.com/Other: Condition not yet reported",
    });
  });

  it("sends nothing when only others' parts differ from what it would apply", async () => {
    const objects = [fooCluster(), fooControlPlane(), connection()];
    const first = await statusIn(given(READY, ...objects));
    const shared = withStatus(READY, { ...first, conditions: [...(first.conditions ?? []), GATE] });
    expect(await decide(clusterStatus, given(shared, ...objects))).not.toHaveProperty("apply");
  });
});
