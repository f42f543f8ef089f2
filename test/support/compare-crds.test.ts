import { describe, expect, it } from "vitest";
import { compareFolder, differences } from "./compare-crds.ts";
import { loadCrds } from "../../infra/platform/crds/crd.ts";
import { describeWith } from "./requires.ts";
import { inShared, sharedMissing } from "./shared.ts";

const PUBLISHED = "data/core-crds";

describeWith(sharedMissing(PUBLISHED))("Capstan's CRDs beside Cluster API's", () => {
  it("differ in nothing unexplained", async () => {
    const found = await compareFolder(inShared(PUBLISHED));
    expect(found.filter(({ explained }) => explained === undefined)).toEqual([]);
    // An explanation without a difference must be removed.
    expect(found).toHaveLength(149);
  });
});

describe("comparing CRDs", () => {
  it("finds nothing between a CRD and itself", async () => {
    for (const crd of await loadCrds()) expect(differences(crd, structuredClone(crd))).toEqual([]);
  });

  it.each([
    ["a limit", (text: string) => text.replace('"maxLength":63', '"maxLength":64')],
    ["a format", (text: string) => text.replace('"format":"int32"', '"format":"int64"')],
    [
      "a list type",
      (text: string) => text.replace('"x-kubernetes-list-type":"atomic"', '"x-kubernetes-list-type":"set"'),
    ],
    ["an enum", (text: string) => text.replace('"Scaling",', "")],
    [
      "a required field",
      (text: string) => text.replace('"required":["clusterName","template"]', '"required":["template"]'),
    ],
    ["a property", (text: string) => text.replace('"fieldPath":', '"fieldPaths":')],
    ["a rule", (text: string) => text.replace("self == oldSelf", "true")],
    ["a printer column", (text: string) => text.replace('"name":"Desired"', '"name":"Wanted"')],
    ["a subresource", (text: string) => text.replace('"status":{}', '"other":{}')],
    ["a short name", (text: string) => text.replace('"mp"', '"mpool"')],
    ["a pattern", (text: string) => text.replace('"pattern":"^[a-z', '"pattern":"^[b-z')],
  ])("notices %s", async (_, change) => {
    const pool = (await loadCrds()).find(({ metadata }) => metadata.name.startsWith("machinepools"));
    const text = JSON.stringify(pool);
    const other: unknown = JSON.parse(change(text));
    expect(differences(pool, other)).not.toEqual([]);
  });

  it("takes no notice of descriptions, and of the order of what is a set", () => {
    const crd = (required: readonly string[], description: string) => ({
      spec: {
        names: { plural: "xs" },
        versions: [
          { name: "v1beta2", schema: { openAPIV3Schema: { type: "object", required, description } } },
        ],
      },
    });
    expect(differences(crd(["a", "b"], "one"), crd(["b", "a"], "two"))).toEqual([]);
  });
});
