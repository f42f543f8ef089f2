import { describe, expect, it } from "vitest";
import { loadFunctions } from "../../../../infra/worker/load.ts";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { Node } from "../../../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { InfraMachinePool } from "../../../../shared/contract/infra-machine-pool.ts";
import { InfraMachineTemplate } from "../../../../shared/contract/machine-templates.ts";
import { defineFunction, watchContract } from "../../../../shared/function/define-function.ts";
import { itself } from "../../../../shared/function/mappings.ts";
import { done } from "../../../../shared/function/result.ts";
import { keepDeclared, keepOnly, keptFields } from "../../../../shared/runtime/read/kept-fields.ts";

const metadata = { name: "a", namespace: "default", uid: "u", resourceVersion: "5" };
const object = (more: object) =>
  ({ apiVersion: "things.example/v1", kind: "Thing", metadata, ...more }) as unknown as KubeObject;
const infraKind: Kind = {
  group: "infrastructure.foo.example.com",
  version: "v1",
  kind: "FooMachinePool",
  plural: "foomachinepools",
  namespaced: true,
};

const MINIMAL = { name: "a-b", summary: "S.", source: "own", reconciles: MachinePool, owns: [] } as const;

describe("keeping only some fields", () => {
  it("enters objects by name, lists by merge key, maps by key, and keeps what is below", () => {
    const keep = keepOnly([
      "spec.paused",
      "status.conditions[Ready].status",
      "status.conditions[Available]",
      "metadata.annotations[a.b/c]",
      "status.refs",
    ]);
    const ready = { type: "Ready", status: "True", message: "long" };
    const available = { type: "Available", status: "False", message: "kept" };
    const kept = keep(
      object({
        metadata: { ...metadata, annotations: { "a.b/c": "1", other: "2" } },
        spec: { paused: true, template: { large: true } },
        status: {
          conditions: [ready, available, { type: "Other", status: "True" }],
          refs: [{ deep: { x: 1 } }],
        },
      }),
    );
    expect(kept).toEqual({
      metadata: { annotations: { "a.b/c": "1" } },
      spec: { paused: true },
      status: {
        conditions: [{ type: "Ready", status: "True" }, available],
        refs: [{ deep: { x: 1 } }],
      },
    });
  });

  it("keeps a list whole where it is asked to, because a patch names elements by their place", () => {
    const keep = keepOnly(["status.conditions[Ready].status", "metadata.annotations[a.b/c]"], "whole");
    const conditions = [
      { type: "Other", status: "True" },
      { type: "Ready", status: "True", message: "m" },
    ];
    const annotations = { "a.b/c": "kept", "a.b/d": "not" };
    expect(keep(object({ metadata: { annotations }, spec: {}, status: { conditions } }))).toEqual({
      metadata: { annotations: { "a.b/c": "kept" } },
      status: { conditions },
    });
  });

  it("keeps lists and maps that are there, even when nothing in them is: a patch must not create them", () => {
    const keep = keepOnly(["metadata.annotations[x]", "status.conditions[Ready]"]);
    const kept = keep(
      object({ metadata: { annotations: { y: "1" } }, status: { conditions: [{ type: "Z" }] } }),
    );
    expect(kept).toEqual({ metadata: { annotations: {} }, status: { conditions: [] } });
    expect(keep(object({}))).toEqual({ metadata: {} });
  });

  it("lets a whole field win over its parts, in any order", () => {
    const spec = { a: { b: 1, c: 2 } };
    for (const fields of [
      ["spec.a.b", "spec"],
      ["spec", "spec.a.b"],
    ])
      expect(keepOnly(fields)(object({ spec }))).toEqual({ spec });
  });

  it("survives values of a shape that the paths do not expect", () => {
    const keep = keepOnly(["status.conditions[Ready].status", "spec.list"]);
    for (const value of [null, 3, "x", [null, 3, "x", [], { type: 7 }], { Ready: "True" }]) {
      expect(() => keep(object({ status: { conditions: value }, spec: value }))).not.toThrow();
    }
    expect(keep(object({ status: { conditions: "broken" } }))).toMatchObject({
      status: { conditions: "broken" },
    });
  });

  it("does not touch prototypes (S-50)", () => {
    const hostile = JSON.parse(
      '{"metadata":{"name":"a"},"spec":{"__proto__":{"polluted":true}}}',
    ) as KubeObject;
    expect(keepOnly(["spec.__proto__.polluted", "metadata.name"])(hostile)).toEqual({
      metadata: { name: "a" },
      spec: {},
    });
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});

describe("what the read model keeps", () => {
  it("is what the functions declare (S-22)", async () => {
    const functions = await loadFunctions(["machinepool-*"]);
    expect(keptFields(functions, MachinePool as Kind)).toEqual(
      expect.arrayContaining(["metadata.ownerReferences", "spec.clusterName", "status"]),
    );
    const ofCluster = keptFields(functions, Cluster as Kind);
    expect(ofCluster).toContain("spec.paused");
    expect(ofCluster).not.toContain("status");
    expect(keptFields(functions, Node as Kind)).not.toContain("status.ready");
    expect(keptFields(functions, infraKind)).toContain("spec.providerIDList");
  });

  it("has of annotations only those with a name that a function declares", async () => {
    const functions = await loadFunctions(["*"]);
    // Of a Machine and of its Node all are kept: hooks and trackers have names that users choose.
    for (const kind of [MachinePool as Kind, Cluster as Kind, infraKind]) {
      const fields = keptFields(functions, kind);
      expect(fields).not.toContain("metadata.annotations");
      expect(fields).not.toContain("metadata");
    }
  });

  it("leaves out of a template what functions declare for other provider objects, and what they only read live", () => {
    const template = { ...infraKind, kind: "FooMachineTemplate" };
    const pool = defineFunction(
      {
        ...MINIMAL,
        watches: [watchContract(InfraMachinePool, ["spec.providerIDList"], itself)],
      },
      async () => ({ result: done }),
    );
    const clones = defineFunction(
      {
        ...MINIMAL,
        watches: [watchContract(InfraMachineTemplate, ["metadata.uid"], itself)],
        reads: [{ on: InfraMachineTemplate, fields: ["spec.template"], liveOnly: true }],
      },
      async () => ({ result: done }),
    );
    expect(keptFields([pool, clones], template)).not.toContain("spec.providerIDList");
    expect(keptFields([pool, clones], template)).not.toContain("spec.template");
    expect(keptFields([pool, clones], infraKind)).toContain("spec.providerIDList");
    const served = { ...object({ spec: { template: { data: "x" }, other: 1 } }), kind: template.kind };
    expect(keepDeclared(clones, template)(served)).toMatchObject({ spec: { template: { data: "x" } } });
  });
});
