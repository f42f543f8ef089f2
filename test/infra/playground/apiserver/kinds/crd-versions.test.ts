import { describe, expect, it } from "vitest";
import { crdVersionCauses } from "../../../../../infra/playground/apiserver/kinds/crd-versions.ts";
import type { JsonObject } from "../../../../../infra/playground/apiserver/objects/json.ts";

const COLUMN = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
const SCALE = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };

function fieldsOf(version: JsonObject, spec: JsonObject = {}): readonly (string | undefined)[] {
  return crdVersionCauses({ versions: [version], ...spec }).map(({ field }) => field);
}

describe("columns and scale of a CRD", () => {
  it("are fine where a real API server accepts them", () => {
    expect(
      fieldsOf({ additionalPrinterColumns: [COLUMN], subresources: { status: {}, scale: SCALE } }),
    ).toEqual([]);
    expect(fieldsOf({})).toEqual([]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ["a column without type", { ...COLUMN, type: "" }, ["type"]],
    ["a column of an unknown type", { ...COLUMN, type: "text" }, ["type"]],
    ["a column without name and path", { type: "date" }, ["name", "jsonPath"]],
  ])("are refused with %s", (_what, column, members) => {
    const expected = members.map((member) => `spec.versions[0].additionalPrinterColumns[0].${member}`);
    expect(fieldsOf({ additionalPrinterColumns: [column] })).toEqual(expected);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ["no path", {}, ["specReplicasPath", "statusReplicasPath"]],
    ["a path without a dot", { ...SCALE, specReplicasPath: "spec" }, ["specReplicasPath"]],
    [
      "a path of the spec for the status",
      { ...SCALE, statusReplicasPath: ".spec.a" },
      ["statusReplicasPath"],
    ],
  ])("are refused with %s", (_what, scale, members) => {
    const expected = members.map((member) => `spec.versions[0].subresources.scale.${member}`);
    expect(fieldsOf({ subresources: { scale } })).toEqual(expected);
  });

  it("are refused where unknown fields of all versions are kept", () => {
    expect(fieldsOf({}, { preserveUnknownFields: true })).toEqual(["spec.preserveUnknownFields"]);
  });
});
