import { describe, expect, it } from "vitest";
import { type HandlingFacts, nodeHandling } from "../../../../functions/machine/rules/node-handling.ts";
import {
  cluster,
  found,
  machine,
  missing,
  type ProviderObject,
  unresolved,
} from "../../../support/builders.ts";

const GONE_AT = "2026-01-01T11:00:00Z";
const WORKER = machine("m1", { status: { nodeRef: { name: "n1" } } });
const DELETING = { metadata: { deletionTimestamp: GONE_AT } };
const CLUSTER = cluster();
const STANDS_ALONE = cluster({ spec: { controlPlaneRef: undefined } });

function controlPlane(overrides: Partial<ProviderObject> & { readonly deleted?: true } = {}): ProviderObject {
  const { deleted, ...rest } = overrides;
  return {
    apiVersion: "controlplane.cluster.x-k8s.io/v1",
    kind: "FooControlPlane",
    metadata: { name: "cp", namespace: "default", ...(deleted ? { deletionTimestamp: GONE_AT } : {}) },
    ...rest,
  };
}
const EXTERNAL = { status: { externalManagedControlPlane: true } };
const ONE = [machine("cp1")];
const ONE_GOING = [machine("cp1", DELETING)];
const FACTS = { cluster: CLUSTER, controlPlane: found(controlPlane()), controlPlaneMachines: ONE };

describe("the Node of a deleted Machine", () => {
  it.each([
    ["with a control plane Machine that stays", CLUSTER, found(controlPlane()), [...ONE_GOING, ...ONE]],
    ["with a control plane outside of Machines", CLUSTER, found(controlPlane(EXTERNAL)), []],
    ["the same under contract v1beta1", CLUSTER, found(controlPlane(EXTERNAL), "v1beta1"), []],
    ["without control plane object", CLUSTER, missing(controlPlane()), ONE],
    ["without its CRD", CLUSTER, unresolved(false), ONE],
    ["with stand-alone control plane Machines", STANDS_ALONE, undefined, ONE],
    ["with neither reference nor control plane Machines", STANDS_ALONE, undefined, []],
  ])("is handled %s", (_, of, object, controlPlaneMachines) => {
    expect(nodeHandling(WORKER, { cluster: of, controlPlane: object, controlPlaneMachines })).toEqual({
      state: "allowed",
    });
  });

  it.each<[string, string, HandlingFacts]>([
    [
      "there is no Cluster",
      "ClusterGone",
      { cluster: undefined, controlPlane: undefined, controlPlaneMachines: [] },
    ],
    ["the Cluster is being deleted", "ClusterDeleting", { ...FACTS, cluster: cluster(DELETING) }],
    [
      "the control plane object is being deleted",
      "ControlPlaneDeleting",
      { ...FACTS, controlPlane: found(controlPlane({ deleted: true, ...EXTERNAL })) },
    ],
    [
      "the last control plane Machine goes",
      "NoControlPlaneMachine",
      { ...FACTS, controlPlaneMachines: ONE_GOING },
    ],
    [
      "it is the only stand-alone one",
      "NoControlPlaneMachine",
      { cluster: STANDS_ALONE, controlPlane: undefined, controlPlaneMachines: ONE_GOING },
    ],
    [
      "a referenced control plane has no Machine",
      "NoControlPlaneMachine",
      { cluster: CLUSTER, controlPlane: missing(controlPlane()), controlPlaneMachines: [] },
    ],
  ])("is left alone when %s", (_, by, facts) => {
    expect(nodeHandling(WORKER, facts)).toMatchObject({ state: "denied", by });
  });

  it("stays as it is while the control plane object cannot be read", () => {
    const facts = { cluster: CLUSTER, controlPlane: unresolved(true), controlPlaneMachines: ONE };
    expect(nodeHandling(WORKER, facts)).toEqual({ state: "unknown", message: "CRD of Foo cannot be used" });
  });
});
