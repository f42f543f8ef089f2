import { describe, expect, it } from "vitest";
import { machinedeploymentGuard } from "../../../functions/machinedeployment/guard.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster } from "../../support/builders.ts";
import { machineDeployment } from "../../support/foo-deployments.ts";
import { bootstrapTemplate, infraTemplate, TEMPLATE_CRDS } from "../../support/foo-sets.ts";
import { decide, given } from "../../support/world.ts";

const NEW = { finalizers: undefined, labels: undefined, ownerReferences: undefined };
const OWNER = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster", name: "c1", uid: "uid-c1" };
const ADD_FINALIZER = {
  op: "add",
  path: "/metadata/finalizers",
  value: ["cluster.x-k8s.io/machinedeployment"],
};
const ADD_LABEL = {
  op: "add",
  path: "/metadata/labels",
  value: { "cluster.x-k8s.io/cluster-name": "c1" },
};
const ADD_OWNER = { op: "add", path: "/metadata/ownerReferences", value: [OWNER] };
const MIN = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";
const MAX = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size";

function world(...objects: readonly KubeObject[]) {
  return given(cluster(), ...TEMPLATE_CRDS, bootstrapTemplate(), infraTemplate(), ...objects);
}

async function operations(...objects: readonly KubeObject[]) {
  return (await decide(machinedeploymentGuard, world(...objects))).patch?.flatMap(
    (patch) => patch.operations,
  );
}

/** The deployment with this in place of its rollout. */
function rolling(rollout: MachineDeployment["spec"]["rollout"]): MachineDeployment {
  const deployment = machineDeployment();
  return { ...deployment, spec: { ...deployment.spec, rollout } };
}

describe("machinedeployment-guard", () => {
  it("waits for the Cluster and writes nothing", async () => {
    const alone = world(machineDeployment({ metadata: NEW })).without(cluster());
    expect(await decide(machinedeploymentGuard, alone)).toEqual({ result: waitFor("Cluster.metadata.uid") });
  });

  it("adds finalizer, label and owner reference in one patch guarded by uid and resourceVersion", async () => {
    const { patch, result } = await decide(
      machinedeploymentGuard,
      world(machineDeployment({ metadata: NEW })),
    );
    expect(patch?.[0]?.target).toMatchObject({ name: "d1", uid: "uid-d1", resourceVersion: "30" });
    expect(patch?.[0]?.operations).toEqual([ADD_FINALIZER, ADD_LABEL, ADD_OWNER]);
    expect(result).toEqual(done);
  });

  it("has nothing to write for a guarded deployment", async () => {
    expect(await operations(machineDeployment())).toEqual([]);
  });

  it("replaces the reference to a Cluster from before a move at its index", async () => {
    const stale = { ...OWNER, uid: "uid-old" };
    expect(await operations(machineDeployment({ metadata: { ownerReferences: [stale] } }))).toEqual([
      { op: "test", path: "/metadata/ownerReferences/0", value: stale },
      { op: "replace", path: "/metadata/ownerReferences/0", value: OWNER },
    ]);
  });

  it.each([
    ["is absent", undefined],
    ["has null for labels", { matchLabels: null }],
    ["is empty", { matchLabels: {} }],
  ])("gives one whose selector %s its name as selector and label of the template", async (_, selector) => {
    const { spec, ...rest } = machineDeployment();
    const bare = { ...rest, spec: { ...spec, selector, template: { spec: spec.template.spec } } };
    const labels = { "cluster.x-k8s.io/deployment-name": "d1", "cluster.x-k8s.io/cluster-name": "c1" };
    expect(await operations(bare)).toEqual([
      { op: "add", path: "/spec/selector", value: { matchLabels: labels } },
      { op: "add", path: "/spec/template/metadata", value: { labels } },
    ]);
  });

  it("adds the cluster label, and no other, to selector and template of one that has its own labels", async () => {
    const { spec, ...rest } = machineDeployment();
    const selector = { matchExpressions: [{ key: "tier", operator: "Exists" }] };
    const template = { ...spec.template, metadata: { labels: { tier: "a" } } };
    const labels = { "cluster.x-k8s.io/cluster-name": "c1" };
    expect(await operations({ ...rest, spec: { ...spec, selector, template } } as KubeObject)).toEqual([
      { op: "add", path: "/spec/selector", value: { ...selector, matchLabels: labels } },
      { op: "add", path: "/spec/template/metadata/labels", value: { tier: "a", ...labels } },
    ]);
  });

  it("gives the template the label of its Cluster that its selector wants, without a complaint", async () => {
    const { spec, ...rest } = machineDeployment();
    const template = { ...spec.template, metadata: undefined };
    const selector = { matchLabels: { "cluster.x-k8s.io/cluster-name": "c1" } };
    const { patch, events } = await decide(
      machinedeploymentGuard,
      world({ ...rest, spec: { ...spec, selector, template } } as KubeObject),
    );
    expect(patch?.[0]?.operations).toEqual([
      {
        op: "add",
        path: "/spec/template/metadata",
        value: { labels: { "cluster.x-k8s.io/cluster-name": "c1" } },
      },
    ]);
    expect(events).toEqual([]);
  });

  it.each([
    [{}, undefined, 1],
    [{ [MIN]: "2", [MAX]: "5" }, undefined, 2],
    [{ [MIN]: "2", [MAX]: "5" }, 9, 5],
    [{ [MIN]: "2" }, 9, 1],
  ])("writes absent replicas: annotations %o, present %s → %i", async (annotations, replicas, value) => {
    const status = replicas === undefined ? undefined : { replicas };
    const bare = machineDeployment({ metadata: { annotations }, spec: { replicas: undefined }, status });
    expect(await operations(bare)).toEqual([{ op: "add", path: "/spec/replicas", value }]);
  });

  const ROLLING = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } as const;

  it.each([
    ["rollout", undefined, [{ op: "add", path: "/spec/rollout", value: { strategy: ROLLING } }]],
    [
      "strategy",
      { after: "2026-01-01T00:00:00Z" },
      [{ op: "add", path: "/spec/rollout/strategy", value: ROLLING }],
    ],
    [
      "limits",
      { strategy: { type: "RollingUpdate" } } as const,
      [{ op: "add", path: "/spec/rollout/strategy/rollingUpdate", value: ROLLING.rollingUpdate }],
    ],
    [
      "surge",
      { strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%" } } } as const,
      [{ op: "add", path: "/spec/rollout/strategy/rollingUpdate/maxSurge", value: 1 }],
    ],
    ["limits of OnDelete, none of them,", { strategy: { type: "OnDelete" } } as const, []],
  ])("writes an absent %s", async (_, rollout, expected) => {
    expect(await operations(rolling(rollout))).toEqual(expected);
  });

  it("makes the Cluster an owner of both templates, each in a patch of its own", async () => {
    const orphan = { metadata: { ownerReferences: undefined } };
    const { patch = [] } = await decide(
      machinedeploymentGuard,
      world(machineDeployment(), bootstrapTemplate(orphan), infraTemplate(orphan)),
    );
    expect(patch.slice(1).map(({ target, operations }) => [target.name, operations])).toEqual([
      ["s1-config", [ADD_OWNER]],
      ["s1-infra", [ADD_OWNER]],
    ]);
  });

  it("adds only the finalizer while the Cluster is paused, and leaves the templates", async () => {
    const paused = cluster({ spec: { paused: true } });
    const orphan = infraTemplate({ metadata: { ownerReferences: undefined } });
    const { patch = [] } = await decide(
      machinedeploymentGuard,
      world(machineDeployment({ metadata: NEW }), paused, orphan),
    );
    expect(patch.map(({ operations }) => operations)).toEqual([[ADD_FINALIZER]]);
  });

  it("works on as always while its rollouts are paused", async () => {
    expect(await operations(machineDeployment({ metadata: NEW, spec: { paused: true } }))).toEqual([
      ADD_FINALIZER,
      ADD_LABEL,
      ADD_OWNER,
    ]);
  });

  it("gives a deleted deployment neither finalizer nor defaults", async () => {
    const deletionTimestamp = "2026-01-01T11:59:00Z";
    const going = machineDeployment({
      metadata: { ...NEW, deletionTimestamp },
      spec: { replicas: undefined },
    });
    expect(await operations(going)).toEqual([ADD_LABEL, ADD_OWNER]);
  });

  it("reports by events what admission would have refused", async () => {
    const bad = machineDeployment({
      metadata: { annotations: { "machineset.cluster.x-k8s.io/skip-preflight-checks": "All, Nope" } },
      spec: {
        replicas: -1,
        template: {
          metadata: { labels: { "a b": "x", c: "d e" } },
          spec: { clusterName: "c2", version: "latest", bootstrap: { configRef: undefined } },
        },
      },
    });
    const { events } = await decide(machinedeploymentGuard, world(bad));
    expect(events?.map(({ message }) => message)).toEqual([
      "spec.replicas is -1; set it to 0 or more",
      "spec.template.spec.bootstrap needs configRef or dataSecretName",
      "spec.template.spec.version latest is not a semantic version",
      "spec.template.spec.clusterName is not c1",
      "spec.template.metadata has the key a b, which no label or annotation may have",
      "spec.template.metadata.labels[c] is d e, which is not a label value",
      "annotation machineset.cluster.x-k8s.io/skip-preflight-checks names Nope; the checks are All, KubeadmVersionSkew, KubernetesVersionSkew, ControlPlaneIsStable, ControlPlaneVersionSkew",
    ]);
  });

  it("reports replicas once that are absent and cannot be computed, and writes none", async () => {
    const bad = machineDeployment({
      metadata: { annotations: { [MIN]: "few", [MAX]: "5" } },
      spec: { replicas: undefined },
    });
    const { events, patch } = await decide(machinedeploymentGuard, world(bad));
    expect(events?.map(({ message }) => message)).toEqual([
      `spec.replicas is missing and ${MIN} and ${MAX} are not counts`,
    ]);
    expect(patch?.[0]?.operations).toEqual([]);
  });
});
