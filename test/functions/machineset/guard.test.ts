import { describe, expect, it } from "vitest";
import { machinesetGuard } from "../../../functions/machineset/guard.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster } from "../../support/builders.ts";
import { bootstrapTemplate, infraTemplate, machineSet, TEMPLATE_CRDS } from "../../support/foo-sets.ts";
import { decide, given } from "../../support/world.ts";

const NEW = { finalizers: undefined, labels: undefined, ownerReferences: undefined };
const OWNER = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Cluster", name: "c1", uid: "uid-c1" };
const ADD_FINALIZER = { op: "add", path: "/metadata/finalizers", value: ["cluster.x-k8s.io/machineset"] };
const ADD_LABEL = {
  op: "add",
  path: "/metadata/labels",
  value: { "cluster.x-k8s.io/cluster-name": "c1" },
};
const ADD_OWNER = { op: "add", path: "/metadata/ownerReferences", value: [OWNER] };

function world(...objects: readonly KubeObject[]) {
  return given(cluster(), ...TEMPLATE_CRDS, bootstrapTemplate(), infraTemplate(), ...objects);
}

async function operations(...objects: readonly KubeObject[]) {
  return (await decide(machinesetGuard, world(...objects))).patch?.flatMap((patch) => patch.operations);
}

describe("machineset-guard", () => {
  it("waits for the Cluster and writes nothing", async () => {
    const alone = world(machineSet({ metadata: NEW })).without(cluster());
    expect(await decide(machinesetGuard, alone)).toEqual({ result: waitFor("Cluster.metadata.uid") });
  });

  it("adds finalizer, label and owner reference in one patch guarded by uid and resourceVersion", async () => {
    const { patch, result } = await decide(machinesetGuard, world(machineSet({ metadata: NEW })));
    expect(patch?.[0]?.target).toMatchObject({ name: "s1", uid: "uid-s1", resourceVersion: "20" });
    expect(patch?.[0]?.operations).toEqual([ADD_FINALIZER, ADD_LABEL, ADD_OWNER]);
    expect(result).toEqual(done);
  });

  it("has nothing to write for a guarded set", async () => {
    expect(await operations(machineSet())).toEqual([]);
  });

  it.each([
    ["is labelled with one", { labels: { "cluster.x-k8s.io/deployment-name": "md" } }],
    ["is owned by one", { ownerReferences: [{ ...OWNER, kind: "MachineDeployment", name: "md" }] }],
  ])("leaves a set to its MachineDeployment that %s", async (_, metadata) => {
    const found = await operations(machineSet({ metadata: { ...NEW, ...metadata } }));
    expect(found).not.toContainEqual(expect.objectContaining({ path: expect.stringContaining("ownerRef") }));
    expect(found).toContainEqual(ADD_FINALIZER);
  });

  it("replaces the reference to a Cluster from before a move at its index", async () => {
    const stale = { ...OWNER, uid: "uid-old" };
    expect(await operations(machineSet({ metadata: { ownerReferences: [stale] } }))).toEqual([
      { op: "test", path: "/metadata/ownerReferences/0", value: stale },
      { op: "replace", path: "/metadata/ownerReferences/0", value: OWNER },
    ]);
  });

  it("gives a set without selector its name as selector and label of the template, and the cluster label", async () => {
    const bare = machineSet({
      spec: { selector: { matchLabels: undefined }, template: { metadata: undefined } },
    });
    const labels = { "cluster.x-k8s.io/set-name": "s1", "cluster.x-k8s.io/cluster-name": "c1" };
    expect(await operations(bare)).toEqual([
      { op: "add", path: "/spec/selector", value: { matchLabels: labels } },
      { op: "add", path: "/spec/template/metadata", value: { labels } },
    ]);
  });

  it("adds the cluster label to selector and template of a set that has its own labels", async () => {
    const labels = { tier: "a" };
    const own = machineSet();
    const set = {
      ...own,
      spec: {
        ...own.spec,
        selector: { matchExpressions: [{ key: "tier", operator: "Exists" }] },
        template: { ...own.spec.template, metadata: { labels } },
      },
    };
    expect(await operations(set)).toEqual([
      {
        op: "add",
        path: "/spec/selector",
        value: {
          matchExpressions: [{ key: "tier", operator: "Exists" }],
          matchLabels: { "cluster.x-k8s.io/cluster-name": "c1" },
        },
      },
      {
        op: "add",
        path: "/spec/template/metadata/labels",
        value: { tier: "a", "cluster.x-k8s.io/cluster-name": "c1" },
      },
    ]);
  });

  it("writes absent replicas", async () => {
    expect(await operations(machineSet({ spec: { replicas: undefined } }))).toEqual([
      { op: "add", path: "/spec/replicas", value: 1 },
    ]);
  });

  it("makes the Cluster an owner of both templates, each in a patch of its own", async () => {
    const orphan = { metadata: { ownerReferences: undefined } };
    const { patch = [] } = await decide(
      machinesetGuard,
      world(machineSet(), bootstrapTemplate(orphan), infraTemplate(orphan)),
    );
    expect(patch.slice(1).map(({ target, operations }) => [target.name, operations])).toEqual([
      ["s1-config", [ADD_OWNER]],
      ["s1-infra", [ADD_OWNER]],
    ]);
  });

  it("writes the set in spite of a template that is missing, and names a kind that is not served", async () => {
    const { patch, events } = await decide(
      machinesetGuard,
      given(cluster(), machineSet({ metadata: NEW }), TEMPLATE_CRDS[0]),
    );
    expect(patch).toHaveLength(1);
    expect(events?.map(({ reason, message }) => `${reason} ${message}`)).toEqual([
      expect.stringMatching(/^UnresolvedReference .*FooMachineTemplate does not exist/),
    ]);
  });

  it("adds only the finalizer while the Cluster is paused, and leaves the templates", async () => {
    const paused = cluster({ spec: { paused: true } });
    const orphan = infraTemplate({ metadata: { ownerReferences: undefined } });
    const { patch = [] } = await decide(
      machinesetGuard,
      world(machineSet({ metadata: NEW }), paused, orphan),
    );
    expect(patch.map(({ operations }) => operations)).toEqual([[ADD_FINALIZER]]);
  });

  it("gives a deleted set neither finalizer nor defaults", async () => {
    const deletionTimestamp = "2026-01-01T11:59:00Z";
    const set = machineSet({ metadata: { ...NEW, deletionTimestamp }, spec: { replicas: undefined } });
    expect(await operations(set)).toEqual([ADD_LABEL, ADD_OWNER]);
  });

  it("reports by events what admission would have refused", async () => {
    const set = machineSet({
      spec: {
        replicas: -1,
        template: { spec: { clusterName: "c2", version: "latest", bootstrap: { configRef: undefined } } },
      },
    });
    const { events } = await decide(machinesetGuard, world(set));
    expect(events?.map(({ message }) => message)).toEqual([
      "spec.replicas is -1; set it to 0 or more",
      "spec.template.spec.bootstrap needs configRef or dataSecretName",
      "spec.template.spec.version latest is not a semantic version",
      "spec.template.spec.clusterName is not c1",
    ]);
  });
});
