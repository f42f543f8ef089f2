import { describe, expect, it } from "vitest";
import type { CustomResourceDefinition } from "../../../../shared/api/core.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import type { Referenced } from "../../../../shared/contract/referenced.ts";
import type { Reader } from "../../../../shared/function/reads.ts";
import {
  cloneFor,
  cloneReference,
  isCloneDue,
  isClonedFrom,
  readCloneSource,
} from "../../../../shared/rules/machines/clones.ts";
import { bootstrapConfig, crd, found, missing, unresolved } from "../../../support/builders.ts";
import { infraTemplate, machineSet, setMachine } from "../../../support/foo-sets.ts";

const REFERENCE = machineSet().spec.template.spec.infrastructureRef;
const FOO_MACHINE = crd("infrastructure.cluster.x-k8s.io", "FooMachine", {
  spec: { names: { plural: "foomachinery" } },
});

function reading(answer: Referenced, ...definitions: readonly CustomResourceDefinition[]) {
  return {
    list: async () => definitions,
    live: { referenced: async () => answer },
  } as unknown as Pick<Reader, "list" | "live">;
}

async function clone(template: KubeObject) {
  const source = await readCloneSource(reading(found(template), FOO_MACHINE), REFERENCE, "default");
  if ("problem" in source) throw new Error(source.problem);
  return cloneFor(setMachine("s1-x"), source, { labels: { tier: "a" }, annotations: { note: "b" } });
}

describe("a clone", () => {
  it("has the name of its Machine, the content of the template, labels and annotations of both", async () => {
    const content = {
      metadata: {
        labels: { tier: "template", zone: "z" },
        annotations: { own: "1", bad: 5 },
        finalizers: ["f"],
      },
      spec: { size: "large" },
      status: { ready: true },
    };
    const { kind, object } = await clone(infraTemplate({ spec: { template: content } }));
    expect(kind.plural).toBe("foomachinery");
    expect(object).toEqual({
      apiVersion: "infrastructure.cluster.x-k8s.io/v1",
      kind: "FooMachine",
      metadata: {
        name: "s1-x",
        namespace: "default",
        labels: { tier: "a", zone: "z", "cluster.x-k8s.io/cluster-name": "c1" },
        annotations: {
          own: "1",
          note: "b",
          "cluster.x-k8s.io/cloned-from-name": "s1-infra",
          "cluster.x-k8s.io/cloned-from-groupkind": "FooMachineTemplate.infrastructure.cluster.x-k8s.io",
        },
        ownerReferences: [
          {
            apiVersion: "cluster.x-k8s.io/v1beta2",
            kind: "Machine",
            name: "s1-x",
            uid: "uid-s1-x",
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { size: "large" },
    });
    expect(isClonedFrom(object, REFERENCE)).toBe(true);
    expect(isClonedFrom(object, { ...REFERENCE, name: "other" })).toBe(false);
    expect(isClonedFrom(object, { ...REFERENCE, kind: "BarMachineTemplate" })).toBe(false);
  });

  it("is made in the version in which the template was read", async () => {
    const template = { ...infraTemplate(), apiVersion: "infrastructure.cluster.x-k8s.io/v1alpha7" };
    expect((await clone(template)).object.apiVersion).toBe("infrastructure.cluster.x-k8s.io/v1alpha7");
  });

  it.each([
    ["no spec", {}],
    ["no spec.template", { spec: {} }],
    ["a null for it", { spec: { template: null } }],
    ["a text for it", { spec: { template: "x" } }],
  ])("is made empty from a template with %s", async (_, content) => {
    const { apiVersion, kind, metadata } = infraTemplate();
    const { object } = await clone({ apiVersion, kind, metadata, ...content } as KubeObject);
    expect(new Set(Object.keys(object))).toEqual(new Set(["apiVersion", "kind", "metadata"]));
    expect(object.metadata.labels).toEqual({ tier: "a", "cluster.x-k8s.io/cluster-name": "c1" });
  });

  it.each([
    [
      "the template is missing",
      reading(missing(infraTemplate()), FOO_MACHINE),
      REFERENCE,
      "FooMachineTemplate default/s1-infra does not exist",
    ],
    [
      "the kind of the clone is not served",
      reading(found(infraTemplate())),
      REFERENCE,
      "CustomResourceDefinition of infrastructure.cluster.x-k8s.io/FooMachine does not exist; install the provider, or correct kind in the reference",
    ],
    [
      "the kind of the template is not served",
      reading({ state: "unresolved", crdExists: false, message: "no CRD" }),
      REFERENCE,
      "no CRD",
    ],
    [
      "the reference names another kind",
      reading(found(infraTemplate())),
      { ...REFERENCE, kind: "FooMachine" },
      "FooMachine s1-infra is not a template; reference a kind that ends in Template",
    ],
  ])("is not made when %s", async (_, read, reference, problem) => {
    expect(await readCloneSource(read, reference, "default")).toEqual({ problem });
  });

  it("is named by a reference without Template", () => {
    expect(cloneReference(REFERENCE, "s1-x")).toEqual({ ...REFERENCE, kind: "FooMachine", name: "s1-x" });
  });

  it("is due only for a living Machine that never had it", () => {
    const absent = missing(bootstrapConfig());
    const young = setMachine("m1", { status: { initialization: undefined } });
    expect(isCloneDue(young, "bootstrapDataSecretCreated", absent)).toBe(true);
    expect(isCloneDue(young, "bootstrapDataSecretCreated", found(bootstrapConfig()))).toBe(false);
    expect(isCloneDue(young, "bootstrapDataSecretCreated", undefined)).toBe(false);
    expect(isCloneDue(young, "bootstrapDataSecretCreated", unresolved(true))).toBe(true);
    expect(isCloneDue(setMachine("m1"), "infrastructureProvisioned", absent)).toBe(false);
    const going = {
      metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" },
      status: { initialization: undefined },
    };
    expect(isCloneDue(setMachine("m1", going), "infrastructureProvisioned", absent)).toBe(false);
  });
});
