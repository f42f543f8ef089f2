import { describe, expect, it } from "vitest";
import { type CrdObject, toCrd } from "../../infra/platform/crds/crd.ts";
import { valueAt } from "../../shared/api/path.ts";
import { ClusterClass, ExtensionConfig } from "../../shared/api/refused-kinds.ts";
import type { Structural } from "../../shared/api/structural.ts";
import { ALL_KINDS } from "../support/all-kinds.ts";

/** Schemas as published come without descriptions: of these kinds no object is made. */
const crds = ALL_KINDS.flatMap((kind) =>
  kind === ClusterClass || kind === ExtensionConfig ? [] : (toCrd(kind) ?? []),
);

function schemaOf(crd: CrdObject): Structural {
  const [version] = valueAt(crd, "spec.versions") as readonly unknown[];
  return valueAt(version, "schema.openAPIV3Schema") as Structural;
}

/** `spec.template` → its description; `undefined` where it has none. */
function descriptionsOf(node: Structural, path = ""): readonly (readonly [string, unknown])[] {
  const own = Object.entries(node.properties ?? {}).flatMap(([name, property]) => {
    const here = path === "" ? name : `${path}.${name}`;
    return [[here, property["description"]] as const, ...descriptionsOf(property, here)];
  });
  const values = node["additionalProperties"];
  const below = [node.items, typeof values === "object" ? (values as Structural) : undefined];
  return [...own, ...below.flatMap((each) => (each === undefined ? [] : descriptionsOf(each, path)))];
}

describe("every field of every kind of ours", () => {
  it("is described for kubectl explain, in sentences", () => {
    expect(crds.length).toBeGreaterThan(10);
    for (const crd of crds) {
      const schema = schemaOf(crd);
      // The API server describes metadata itself.
      const fields = descriptionsOf(schema).filter(([path]) => path !== "metadata");
      expect(fields.length).toBeGreaterThan(3);
      for (const [path, description] of [["the kind", schema["description"]], ...fields]) {
        expect(description, `${crd.metadata.name}: ${path}`).toMatch(/^[A-Zv][^\n]*[^.]\.$/);
      }
    }
  });
});
