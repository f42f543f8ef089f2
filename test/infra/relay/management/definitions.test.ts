import { describe, expect, it } from "vitest";
import { Definitions } from "../../../../infra/relay/management/definitions.ts";
import { crd } from "../../../support/builders.ts";

const ID = "parts.dev/Door";
const versions = ["v1", "v2", "v3"].map((name) => ({ name, served: name !== "v3" }));

/** The version in which the kind is watched, after these references. */
function watchedIn(
  labels: { readonly [key: string]: string } | undefined,
  ...referenced: readonly (string | undefined)[]
) {
  const definitions = new Definitions([]);
  definitions.put(crd("parts.dev", "Door", { metadata: { labels }, spec: { versions } }));
  for (const version of referenced) definitions.addReference({ id: ID, version });
  return definitions.choose(ID)?.version;
}

describe("the version in which a referenced kind is watched", () => {
  it.each([
    ["that of the contract labels", { "cluster.x-k8s.io/v1beta2": "v2" }, ["v1"], "v2"],
    ["that of the reference without labels", undefined, ["v1"], "v1"],
    ["the highest of several references", undefined, ["v1", undefined, "v2"], "v2"],
    ["one that is served", undefined, ["v1", "v3"], "v1"],
    ["none of those that are not served", undefined, ["v3"], undefined],
    ["none without labels and version", undefined, [undefined], undefined],
    ["none without reference", { "cluster.x-k8s.io/v1beta2": "v2" }, [], undefined],
  ])("PC-2.4: is %s", (...[, labels, referenced, version]) => {
    expect(watchedIn(labels as { readonly [key: string]: string } | undefined, ...referenced)).toBe(version);
  });

  it("PC-2.4: is looked for again with each further version", () => {
    const definitions = new Definitions([]);
    expect(definitions.addReference({ id: ID, version: "v3" })).toBe(true);
    expect(definitions.addReference({ id: ID, version: "v3" })).toBe(false);
    expect(definitions.addReference({ id: ID })).toBe(false);
    expect(definitions.addReference({ id: ID, version: "v1" })).toBe(true);
  });
});
