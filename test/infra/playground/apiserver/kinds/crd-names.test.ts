import { describe, expect, it } from "vitest";
import { crdNameCauses } from "../../../../../infra/playground/apiserver/kinds/crd-names.ts";
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
