import { describe, expect, it } from "vitest";
import { GIVEN, trackerOf } from "../../../../functions/machinedeployment/rules/given.ts";
import { inPlacePatch } from "../../../../functions/machinedeployment/rules/in-place.ts";
import type { MachineDeployment } from "../../../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../../../shared/api/machineset.ts";
import { merge, type Overrides } from "../../../support/builders.ts";
import { machineDeployment, setOfDeployment } from "../../../support/foo-deployments.ts";
import { patched } from "../../../support/patched.ts";

const HASH = "machine-template-hash";

/** The set as the patch leaves it. */
function followed(deployment: MachineDeployment, set: MachineSet, planned = {}): MachineSet {
  return patched(set, inPlacePatch(deployment, set, planned));
}

/** A set that has followed a deployment which then changes. */
function afterwards(before: Overrides<MachineDeployment>, set: Overrides<MachineSet> = {}): MachineSet {
  return merge<MachineSet>(followed(machineDeployment(before), setOfDeployment("d1-aaaaa")), set);
}

describe("the fields of a set that need no rollout", () => {
  it("are those of the deployment: labels twice, annotations, readiness, timeouts, order and names", () => {
    const spec: Overrides<MachineDeployment["spec"]> = {
      deletion: { order: "Oldest" },
      machineNaming: { template: "m-{{ .random }}" },
      template: {
        metadata: { labels: { tier: "a" }, annotations: { note: "b" } },
        spec: {
          minReadySeconds: 5,
          readinessGates: [{ conditionType: "Own" }],
          taints: [{ key: "a", effect: "NoSchedule", propagation: "Always" }],
          deletion: { nodeDrainTimeoutSeconds: 9 },
        },
      },
    };
    const deployment = machineDeployment({ metadata: { annotations: { cost: "low" } }, spec });
    const set = followed(deployment, setOfDeployment("d1-aaaaa"), { planned: "1" });
    expect(set).toMatchObject({
      metadata: { labels: { tier: "a" }, annotations: { cost: "low", planned: "1" } },
      spec,
    });
    expect(set.metadata.annotations).not.toHaveProperty("note");
    expect(inPlacePatch(deployment, set, { planned: "1" })).toEqual([]);
  });

  it("leave the set with the deployment's, one by one, and what others have set stays", () => {
    const set = afterwards(
      {
        metadata: { annotations: { cost: "low" } },
        spec: {
          deletion: { order: "Oldest" },
          machineNaming: { template: "m-{{ .random }}" },
          template: {
            metadata: { labels: { tier: "a" }, annotations: { note: "b" } },
            spec: { minReadySeconds: 5, deletion: { nodeDrainTimeoutSeconds: 9 } },
          },
        },
      },
      {
        metadata: { labels: { own: "1" }, annotations: { own: "1" } },
        spec: {
          template: {
            metadata: { labels: { own: "1" }, annotations: { own: "1" } },
            spec: { deletion: { nodeDeletionTimeoutSeconds: 3 } },
          },
        },
      },
    );
    const left = followed(machineDeployment(), set);
    expect(left.metadata.labels).toMatchObject({ own: "1" });
    expect(left.metadata.labels).not.toHaveProperty("tier");
    expect(left.metadata.annotations).toMatchObject({ own: "1" });
    expect(left.metadata.annotations).not.toHaveProperty("cost");
    expect(left.spec.template.metadata?.labels).not.toHaveProperty("tier");
    expect(left.spec.template.metadata?.annotations).toEqual({ own: "1" });
    expect(left.spec.template.spec.deletion).toEqual({ nodeDeletionTimeoutSeconds: 3 });
    for (const gone of ["deletion", "machineNaming"]) expect(left.spec).not.toHaveProperty(gone);
    expect(left.spec.template.spec).not.toHaveProperty("minReadySeconds");
  });

  it("are restored when a user changes them", () => {
    const deployment = machineDeployment({ spec: { template: { metadata: { labels: { tier: "a" } } } } });
    const set = followed(deployment, setOfDeployment("d1-aaaaa"));
    const edited = merge<MachineSet>(set, {
      metadata: { labels: { tier: "b", "cluster.x-k8s.io/deployment-name": undefined, [HASH]: "other" } },
      spec: { template: { metadata: { labels: { [HASH]: undefined } } } },
    });
    expect(followed(deployment, edited)).toEqual(set);
  });

  it("leave a set without a hash without one", () => {
    const set = setOfDeployment("d1-aaaaa", {
      metadata: { labels: { [HASH]: undefined } },
      spec: {
        selector: { matchLabels: { [HASH]: undefined } },
        template: { metadata: { labels: { [HASH]: undefined } } },
      },
    });
    expect(JSON.stringify(followed(machineDeployment(), set))).not.toContain(HASH);
  });

  it("keep the labels that the selector of the set wants when the deployment's selector has changed", () => {
    const label = { app: "new" };
    const deployment = machineDeployment({
      spec: { selector: { matchLabels: label }, template: { metadata: { labels: label } } },
    });
    const old = { app: "old" };
    const set = setOfDeployment("d1-aaaaa", {
      spec: { selector: { matchLabels: old }, template: { metadata: { labels: old } } },
    });
    const left = followed(deployment, set);
    expect(left.metadata.labels).toMatchObject(label);
    expect(left.spec.template.metadata?.labels).toMatchObject(old);
    expect(left.spec.selector).toEqual(set.spec.selector);
  });

  it("take nothing from a set of Cluster API, whose keys are of unknown origin", () => {
    const set = setOfDeployment("d1-aaaaa", {
      metadata: { labels: { tier: "a" } },
      spec: { deletion: { order: "Newest" }, template: { spec: { minReadySeconds: 5 } } },
    });
    expect(followed(machineDeployment(), set)).toMatchObject({
      metadata: { labels: { tier: "a" } },
      spec: { deletion: { order: "Newest" }, template: { spec: { minReadySeconds: 5 } } },
    });
  });

  it("read a tracker that a user has broken as an empty one, and write it again", () => {
    for (const text of ["{", "7", '{"labels":["tier",3],"fields":"all"}']) {
      const set = setOfDeployment("d1-aaaaa", { metadata: { annotations: { [GIVEN]: text } } });
      expect(followed(machineDeployment(), set).metadata.annotations).toEqual({
        [GIVEN]: trackerOf(machineDeployment()),
      });
    }
  });

  it("do not have the annotations that are about the deployment itself", () => {
    const annotations = {
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
      "machinedeployment.clusters.x-k8s.io/revision": "3",
      "cluster.x-k8s.io/paused": "",
      "capstan.dev/refused": "x",
      "clusterctl.cluster.x-k8s.io/delete-for-move": "",
    };
    const set = followed(machineDeployment({ metadata: { annotations } }), setOfDeployment("d1-aaaaa"));
    expect(Object.keys(set.metadata.annotations ?? {})).toEqual([GIVEN]);
  });

  it("reach a template without metadata", () => {
    const set = setOfDeployment("d1-aaaaa", {
      spec: { selector: { matchLabels: undefined }, template: { metadata: undefined } },
    });
    expect(followed(machineDeployment(), set).spec.template.metadata?.labels).toEqual(
      machineDeployment().spec.template.metadata?.labels,
    );
  });
});
