import { describe, expect, it } from "vitest";
import { ownerOfRequest, requestFrom } from "../../../../functions/mhc/rules/request.ts";
import { type Kind, type KubeObject, MANAGEMENT, type OwnerReference } from "../../../../shared/api/kinds.ts";
import { compareText } from "../../../../shared/rules/conditions/conditions.ts";
import { target } from "../../../support/health-checks.ts";

const GROUP = "remediation.example.com";

function kindIn(group: string): Kind {
  return { group, version: "v1alpha1", kind: "FooRemediation", plural: "fooremediations", namespaced: true };
}

function templateWith(spec: object | undefined, kind = "FooRemediationTemplate"): KubeObject {
  const metadata = {
    name: "t1",
    namespace: "default",
    uid: "uid-t1",
    resourceVersion: "9",
    finalizers: ["x"],
  };
  return { apiVersion: `${GROUP}/v1alpha1`, kind, metadata, ...(spec === undefined ? {} : { spec }) };
}

function made(spec: object | undefined, group = GROUP, machine = target()) {
  return requestFrom(machine, { template: templateWith(spec), kind: kindIn(group) });
}

const OF_M1 = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", name: "m1", uid: "uid-m1" };
const PLAIN = {
  apiVersion: `${GROUP}/v1alpha1`,
  kind: "FooRemediation",
  metadata: {
    name: "m1",
    namespace: "default",
    labels: { "cluster.x-k8s.io/cluster-name": "c1" },
    annotations: {
      "cluster.x-k8s.io/cloned-from-name": "t1",
      "cluster.x-k8s.io/cloned-from-groupkind": `FooRemediationTemplate.${GROUP}`,
    },
    ownerReferences: [OF_M1],
  },
};

describe("a remediation request", () => {
  it("has the name of the Machine, the labels, annotations and spec of the template, and one owner", () => {
    const template = {
      metadata: {
        labels: { team: "a" },
        annotations: { note: "x" },
        finalizers: ["y"],
        ownerReferences: [{ ...OF_M1, uid: "other" }],
      },
      spec: { strategy: { type: "Reboot", retryLimit: 1 } },
    };
    const { metadata } = PLAIN;
    expect(made({ template })).toEqual({
      cluster: MANAGEMENT,
      kind: kindIn(GROUP),
      object: {
        ...PLAIN,
        spec: template.spec,
        metadata: {
          ...metadata,
          labels: { team: "a", ...metadata.labels },
          annotations: { note: "x", ...metadata.annotations },
        },
      },
    });
  });

  it.each([undefined, {}, { template: "text" }, { template: ["list"] }, { template: null }])(
    "is empty of a template with %j",
    (spec) => {
      expect(made(spec)).toMatchObject({ object: PLAIN });
      expect(Object.keys(Reflect.get(made(spec), "object") as object).toSorted(compareText)).toEqual([
        "apiVersion",
        "kind",
        "metadata",
      ]);
    },
  );

  it("may repeat its identity, and is refused under another one", () => {
    const repeated = { apiVersion: `${GROUP}/v1alpha1`, kind: "FooRemediation" };
    expect(made({ template: repeated })).toMatchObject({ object: PLAIN });
    expect(made({ template: { kind: "ClusterRoleBinding" } })).toEqual({
      problem: "spec.template.kind of FooRemediationTemplate default/t1 is not FooRemediation; leave it out",
    });
    expect(made({ template: { apiVersion: "rbac.authorization.k8s.io/v1" } })).toEqual({
      problem: `spec.template.apiVersion of FooRemediationTemplate default/t1 is not ${GROUP}/v1alpha1; leave it out`,
    });
  });

  it("is not made from a kind without the ending of templates", () => {
    const source = { template: templateWith({}, "FooRemediation"), kind: kindIn(GROUP) };
    expect(requestFrom(target(), source)).toEqual({
      problem: "FooRemediation default/t1 is not a template; reference a kind that ends in Template",
    });
  });

  it("is not made from a template of what Machines consist of", () => {
    const infrastructureRef = { apiGroup: GROUP, kind: "FooRemediation", name: "any" };
    expect(made({}, GROUP, target("m1", { spec: { infrastructureRef } }))).toEqual({
      problem:
        "FooRemediationTemplate default/t1 makes what Machines consist of, and no requests; reference the template of a remediation controller",
    });
  });

  it.each([
    ["medik8s.io", "m1"],
    ["fence-agents-remediation.medik8s.io", "m1"],
    ["notmedik8s.io", undefined],
    [GROUP, undefined],
  ])("in group %s names the Node as %j", (group, node) => {
    const annotations = { "remediation.medik8s.io/node-name": node };
    expect(made({}, group)).toMatchObject({
      object: { metadata: node === undefined ? {} : { annotations } },
    });
    const { metadata } = Reflect.get(made({}, group), "object") as KubeObject;
    expect(metadata.annotations?.["remediation.medik8s.io/node-name"]).toBe(node);
  });

  it("leaves the name of a Node that the template gives, and has none without a Node", () => {
    const annotations = { "remediation.medik8s.io/node-name": "other" };
    expect(made({ template: { metadata: { annotations } } }, "medik8s.io")).toMatchObject({
      object: { metadata: { annotations } },
    });
    const without = made({}, "medik8s.io", target("m1", { status: { nodeRef: undefined } }));
    const { metadata } = Reflect.get(without, "object") as KubeObject;
    expect(metadata.annotations).not.toHaveProperty("remediation.medik8s.io/node-name");
  });
});

describe("an object with the kind and name of a request", () => {
  it.each<[string, readonly OwnerReference[] | undefined, string]>([
    ["without owners", undefined, "ours"],
    ["with an empty list of them", [], "ours"],
    ["of the Machine", [OF_M1], "ours"],
    ["of the Machine in another version", [{ ...OF_M1, apiVersion: "cluster.x-k8s.io/v1beta1" }], "ours"],
    ["of a former Machine of that name", [{ ...OF_M1, uid: "uid-old" }], "former"],
    [
      "of a NodeHealthCheck",
      [{ apiVersion: "remediation.medik8s.io/v1alpha1", kind: "NodeHealthCheck", name: "n", uid: "u" }],
      "foreign",
    ],
    ["that the Machine controls", [{ ...OF_M1, controller: true }], "foreign"],
    ["of a Machine of another group", [{ ...OF_M1, apiVersion: "machine.openshift.io/v1beta1" }], "foreign"],
  ])("%s is known as such", (...[, ownerReferences, owner]) => {
    const request: KubeObject = {
      apiVersion: `${GROUP}/v1alpha1`,
      kind: "FooRemediation",
      metadata: { name: "m1", namespace: "default", ...(ownerReferences && { ownerReferences }) },
    };
    expect(ownerOfRequest(request, target())).toBe(owner);
  });

  it("is not a request where Machines consist of its kind, whatever its name and owners", () => {
    const part = { apiGroup: GROUP, kind: "FooRemediation", name: "m1" };
    const request: KubeObject = {
      apiVersion: `${GROUP}/v1alpha1`,
      kind: "FooRemediation",
      metadata: { name: "m1", namespace: "default" },
    };
    for (const spec of [{ infrastructureRef: part }, { bootstrap: { configRef: part } }])
      expect(ownerOfRequest(request, target("m1", { spec }))).toBe("part");
    const named = { infrastructureRef: { ...part, name: "m2" } };
    expect(ownerOfRequest(request, target("m1", { spec: named }))).toBe("part");
    const other = { infrastructureRef: { ...part, kind: "FooMachine" } };
    expect(ownerOfRequest(request, target("m1", { spec: other }))).toBe("ours");
  });
});
