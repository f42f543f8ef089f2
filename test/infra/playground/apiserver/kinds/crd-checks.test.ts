import { describe, expect, it } from "vitest";
import {
  crdNameCauses,
  crdVersionCauses,
} from "../../../../../infra/playground/apiserver/kinds/crd-checks.ts";
import type { JsonObject } from "../../../../../infra/playground/apiserver/objects/json.ts";

const GOOD = {
  group: "test.capstan.dev",
  names: {
    kind: "Widget",
    listKind: "WidgetList",
    plural: "widgets",
    singular: "widget",
    shortNames: ["wd"],
  },
  versions: [{ name: "v1" }, { name: "v1beta1" }],
};

function fields(spec: JsonObject, metadata: JsonObject = {}): readonly (string | undefined)[] {
  return crdNameCauses({ metadata, spec }).map(({ field }) => field);
}

describe("names of a CRD", () => {
  it("are fine where a real API server accepts them", () => {
    expect(fields(GOOD)).toEqual([]);
    const approved = { annotations: { "api-approved.kubernetes.io": "https://example.com/1" } };
    expect(fields({ ...GOOD, group: "gateway.networking.k8s.io" }, approved)).toEqual([]);
    expect(fields({ ...GOOD, group: "infrastructure.cluster.x-k8s.io" })).toEqual([]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ["no group", { group: "" }, ["spec.group"]],
    ["a group of one word", { group: "test" }, ["spec.group"]],
    ["a group of capitals", { group: "Test.dev" }, ["spec.group"]],
    ["a group of Kubernetes", { group: "apps.k8s.io" }, ["metadata.annotations[api-approved.kubernetes.io]"]],
    ["a version twice", { versions: [{ name: "v1" }, { name: "v1" }] }, ["spec.versions"]],
    ["a version of capitals", { versions: [{ name: "V1" }] }, ["spec.versions[0].name"]],
    ["a plural of capitals", { names: { ...GOOD.names, plural: "Widgets" } }, ["spec.names.plural"]],
    ["a kind with a dot", { names: { ...GOOD.names, kind: "Wid.get" } }, ["spec.names.kind"]],
    ["a kind of 64 letters", { names: { ...GOOD.names, kind: "W".repeat(64) } }, ["spec.names.kind"]],
    ["a list of the same kind", { names: { ...GOOD.names, listKind: "Widget" } }, ["spec.names.listKind"]],
    [
      "a short name of capitals",
      { names: { ...GOOD.names, shortNames: ["WD"] } },
      ["spec.names.shortNames[0]"],
    ],
    [
      "a category of capitals",
      { names: { ...GOOD.names, categories: ["All"] } },
      ["spec.names.categories[0]"],
    ],
  ])("are refused with %s", (_what, change, expected) => {
    expect(fields({ ...GOOD, ...change })).toEqual(expected);
  });
});

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
