import { describe, expect, it } from "vitest";
import { fieldOwners } from "../../../../infra/platform/kube/take-over.ts";

const at = { operation: "Apply", time: "2026-01-01T00:00:00Z" };

function fieldsOf(fieldsV1: object): readonly string[] {
  const entry = { manager: "m", ...at, fieldsV1 } as Parameters<typeof fieldOwners>[0][number];
  return fieldOwners([entry]).map(({ field }) => field);
}

describe("the owners of fields", () => {
  it("are spelled as paths of the object", () => {
    const fields = {
      "f:metadata": { "f:labels": { ".": {}, "f:cluster.x-k8s.io/cluster-name": {} } },
      "f:spec": { "f:replicas": {}, "f:finalizers": { 'v:"a"': {} }, "f:old": { "i:0": {} } },
    };
    expect(fieldsOf(fields)).toEqual([
      "metadata.labels[cluster.x-k8s.io/cluster-name]",
      "spec.finalizers[a]",
      "spec.old[0]",
      "spec.replicas",
    ]);
  });

  it("have one row for a list element of plain fields, and one per field for a deep one", () => {
    const key = 'k:{"containerPort":80,"protocol":"TCP"}';
    const fields = {
      "f:conditions": { 'k:{"type":"Ready"}': { ".": {}, "f:type": {}, "f:status": {} } },
      "f:ports": { [key]: { ".": {}, "f:name": {}, "f:target": { "f:port": {} } } },
      "f:shared": { 'k:{"type":"Ready"}': { "f:message": {} } },
    };
    expect(fieldsOf(fields)).toEqual([
      "conditions[Ready]",
      "ports[containerPort=80,protocol=TCP].name",
      "ports[containerPort=80,protocol=TCP].target.port",
      "shared[Ready].message",
    ]);
  });

  it("stand side by side when a field has several", () => {
    const entries = [
      { manager: "b", operation: "Update", fieldsV1: { "f:spec": {} } },
      { manager: "a", ...at, fieldsV1: { "f:spec": {} } },
      { manager: "c", ...at },
      {},
    ];
    expect(fieldOwners(entries as Parameters<typeof fieldOwners>[0])).toEqual([
      { field: "spec", manager: "a", ...at },
      { field: "spec", manager: "b", operation: "Update", time: "" },
    ]);
  });

  it("can be shown for a key that is not JSON", () => {
    expect(fieldsOf({ "f:a": { "k:{": {} } })).toEqual(["a[{]"]);
  });
});
