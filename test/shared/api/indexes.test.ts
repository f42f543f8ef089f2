import { describe, expect, it } from "vitest";
import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { Node } from "../../../shared/api/core.ts";
import {
  clusterNameOf,
  indexesOf,
  referencesOf,
  referenceValue,
  tenantOf,
} from "../../../shared/api/indexes.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { manifest } from "./manifests.ts";

const LABEL = "cluster.x-k8s.io/cluster-name";

function object(content: object): KubeObject {
  return { apiVersion: "v1", kind: "X", metadata: { name: "p1", namespace: "default" }, ...content };
}

function values(kind: Kind | undefined, of: KubeObject, index: string): readonly string[] {
  return indexesOf(kind, of).flatMap(({ name, value }) => (name === index ? [value] : []));
}

const pool = object({
  metadata: {
    name: "p1",
    namespace: "default",
    uid: "u1",
    ownerReferences: [{ uid: "c-uid" }, { uid: "x-uid" }],
  },
  spec: { clusterName: "c1", providerIDList: ["sim://a", "", "sim://a", 7, "sim://b"] },
  status: { nodeRefs: [{ name: "n1" }, {}, null, { name: "n2" }] },
});

describe("indexesOf", () => {
  it.each([
    ["name", ["default/p1"]],
    ["uid", ["u1"]],
    ["owner", ["c-uid", "x-uid"]],
    ["cluster", ["default/c1"]],
    ["providerID", ["default/c1|sim://a", "default/c1|sim://b"]],
    ["nodeRef", ["default/c1|n1", "default/c1|n2"]],
    ["reference", []],
  ])("finds a MachinePool by %s as %j", (index, expected) => {
    expect(values(MachinePool, pool, index)).toEqual(expected);
  });

  it("finds what carries a pool's label by Cluster and pool, by field or label", () => {
    const labels = { "cluster.x-k8s.io/pool-name": "p1", [LABEL]: "c1" };
    const labelled = object({ metadata: { name: "m1", namespace: "default", labels } });
    expect(values(undefined, labelled, "pool")).toEqual(["default/c1|p1"]);
    const named = object({ ...labelled, spec: { clusterName: "c2" } });
    expect(values(Machine, named, "pool")).toEqual(["default/c2|p1"]);
  });

  it("finds a Machine by provider ID and by Node, within its Cluster", () => {
    const spec = { clusterName: "c1", providerID: "sim://a" };
    const machine = object({ spec, status: { nodeRef: { name: "n1" } } });
    expect(values(Machine, machine, "providerID")).toEqual(["default/c1|sim://a"]);
    expect(values(Machine, machine, "nodeRef")).toEqual(["default/c1|n1"]);
  });

  it("finds the Machines of a Cluster that belong to no pool", () => {
    const alone = object({ spec: { clusterName: "c1" } });
    expect(values(Machine, alone, "withoutPool")).toEqual(["default/c1|c1"]);
    const labels = { "cluster.x-k8s.io/pool-name": "p1" };
    const pooled = object({ ...alone, metadata: { name: "m1", namespace: "default", labels } });
    expect(values(Machine, pooled, "withoutPool")).toEqual([]);
  });

  it("finds the control plane Machines of a Cluster by the presence of their label", () => {
    const spec = { clusterName: "c1" };
    const of = (labels: Readonly<Record<string, string>>) =>
      values(
        Machine,
        object({ spec, metadata: { name: "m1", namespace: "default", labels } }),
        "controlPlane",
      );
    expect(of({ "cluster.x-k8s.io/control-plane": "" })).toEqual(["default/c1|c1"]);
    expect(of({})).toEqual([]);
  });

  it("finds a pool by the provider objects it references", async () => {
    const [, applied] = await manifest("self-managed.yaml");
    const found = indexesOf(MachinePool, applied as KubeObject);
    expect(found).toContainEqual({
      name: "reference",
      value: "bootstrap.cluster.x-k8s.io/KubeadmConfig/default/prod-eu-mp-0",
    });
    expect(found).toContainEqual({
      name: "referencedKind",
      value: "infrastructure.cluster.x-k8s.io/DockerMachinePool",
    });
  });

  it("finds a Node by its provider ID alone: it lives in its own cluster", () => {
    const node = object({ metadata: { name: "n1" }, spec: { providerID: "sim://a" } });
    expect(values(Node, node, "providerID")).toEqual(["sim://a"]);
    expect(values(Node, node, "name")).toEqual(["/n1"]);
  });

  it("finds an object of an unknown kind by name, owner and the Cluster in its label", () => {
    const config = object({ metadata: { name: "b1", namespace: "default", labels: { [LABEL]: "c1" } } });
    expect(indexesOf(undefined, config)).toEqual([
      { name: "name", value: "default/b1" },
      { name: "cluster", value: "default/c1" },
    ]);
  });
});

describe("referencesOf", () => {
  const reference = { apiGroup: "g.io", kind: "Infra", name: "i1" };

  it.each([
    ["a complete reference", { infrastructureRef: reference }, [reference]],
    [
      "both references in the order of the kind",
      { controlPlaneRef: reference, infrastructureRef: reference },
      [reference, reference],
    ],
    ["nothing for an old reference", { infrastructureRef: { ...reference, apiGroup: undefined } }, []],
    ["nothing for text", { infrastructureRef: "i1" }, []],
    ["nothing for null", { infrastructureRef: null }, []],
    ["nothing without a spec", undefined, []],
  ])("gives %s", (_, spec, expected) => {
    expect(referencesOf(Cluster, object({ spec }))).toEqual(expected);
  });

  it("is indexed with the referrer's namespace", () => {
    expect(referenceValue(reference, "default")).toBe("g.io/Infra/default/i1");
  });
});

describe("the labels of an object", () => {
  const found = (kind: Kind, content: object, index: string) =>
    indexesOf(
      kind,
      object({ ...content, spec: { clusterName: "c1", ...Object(Reflect.get(content, "spec")) } }),
    )
      .filter(({ name }) => name === index)
      .map(({ value }) => value);
  const machineWith = (labels: object | undefined) =>
    found(Machine as unknown as Kind, { metadata: { name: "m1", namespace: "default", labels } }, "label");
  const checkWith = (selector: object) =>
    found(
      MachineHealthCheck as unknown as Kind,
      { metadata: { name: "h1", namespace: "default" }, spec: { selector } },
      "selector",
    );

  it("find a Machine by each of them, within its Cluster", () => {
    expect(machineWith({ b: "2", "a.dev/x": "" })).toEqual(["default/c1|b=2", "default/c1|a.dev/x="]);
    expect(machineWith(undefined)).toEqual([]);
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`l${at}`, "v"]));
    expect(machineWith(many)).toEqual(["default/c1|*"]);
  });

  it.each([
    ["the first by key", { matchLabels: { b: "2", a: "1" } }, "default/c1|a=1"],
    [
      "the first that is not of the Cluster",
      { matchLabels: { "cluster.x-k8s.io/cluster-name": "c1", tier: "a" } },
      "default/c1|tier=a",
    ],
    ["none of expressions only", { matchExpressions: [{ key: "a", operator: "Exists" }] }, "default/c1|"],
    ["none of nothing", {}, "default/c1|"],
    ["none of a malformed map", { matchLabels: { a: 1 } }, "default/c1|"],
  ])("find a health check by %s", (_, selector, value) => {
    expect(checkWith(selector)).toEqual([value]);
  });
});

describe("a reference with apiVersion", () => {
  const referring = (templateRef: unknown) =>
    object({ spec: { clusterName: "c1", remediation: { templateRef } } });
  const found = (templateRef: unknown) => {
    const kind = MachineHealthCheck as unknown as Kind;
    const of = referring(templateRef);
    return {
      reference: values(kind, of, "reference"),
      kinds: values(kind, of, "referencedKind"),
      references: referencesOf(kind, of),
    };
  };

  it("PC-2.4: is found by group and kind, as any other, and by the kind of what is made from it", () => {
    const templateRef = { apiVersion: "r.dev/v1alpha1", kind: "FooTemplate", name: "t" };
    expect(found(templateRef)).toEqual({
      reference: ["r.dev/FooTemplate/default/t"],
      kinds: ["r.dev/FooTemplate", "r.dev/Foo"],
      references: [{ apiGroup: "r.dev", kind: "FooTemplate", name: "t", version: "v1alpha1" }],
    });
  });

  it("PC-2.4: to a kind without the ending of templates makes nothing", () => {
    expect(found({ apiVersion: "r.dev/v1", kind: "Foo", name: "t" }).kinds).toEqual(["r.dev/Foo"]);
    expect(found({ apiVersion: "r.dev/v1", kind: "Template", name: "t" }).kinds).toEqual(["r.dev/Template"]);
  });

  it.each([
    { apiVersion: "v1", kind: "FooTemplate", name: "t" },
    { kind: "FooTemplate", name: "t" },
    { apiVersion: 1, kind: "FooTemplate", name: "t" },
  ])("PC-2.4: is left out without a group: %j", (templateRef) => {
    expect(found(templateRef)).toEqual({ reference: [], kinds: [], references: [] });
  });
});

describe("clusterNameOf and tenantOf", () => {
  const labelled = { name: "p1", namespace: "default", labels: { [LABEL]: "by-label" } };

  it.each<[string, Kind | undefined, object, string | undefined, string]>([
    [
      "the spec wins over the label",
      MachinePool,
      { metadata: labelled, spec: { clusterName: "c1" } },
      "c1",
      "default/c1",
    ],
    ["a label gives no tenant", MachinePool, { metadata: labelled }, "by-label", "default/-"],
    ["a Cluster is its own tenant", Cluster, {}, "p1", "default/p1"],
    ["an unknown kind has none", undefined, {}, undefined, "default/-"],
    [
      "an empty name counts as absent for the tenant",
      MachinePool,
      { spec: { clusterName: "" } },
      "",
      "default/-",
    ],
    ["a cluster-scoped core object", Node, { metadata: { name: "n1" } }, undefined, "default/-"],
    [
      "a cluster-scoped object of a group",
      undefined,
      { apiVersion: "example.com/v1", metadata: { name: "x" } },
      undefined,
      "example.com/-",
    ],
  ])("%s", (...[, kind, content, cluster, tenant]) => {
    expect(clusterNameOf(kind, object(content))).toBe(cluster);
    expect(tenantOf(kind, object(content))).toBe(tenant);
  });
});
