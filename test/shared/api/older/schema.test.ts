import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { toCrd } from "../../../../infra/platform/crds/crd.ts";
import { FILE_BOUNDS, readYaml } from "../../../../infra/platform/yaml/read-yaml.ts";
import { valueAt } from "../../../../shared/api/path.ts";
import { KINDS } from "../../../../shared/api/registry.ts";
import type { Structural } from "../../../../shared/api/structural.ts";
import { inShared, sharedMissing } from "../../../support/shared.ts";

const FOLDER = "data/core-crds";

interface Version {
  readonly name: string;
  readonly deprecated?: boolean;
  readonly schema: { readonly openAPIV3Schema: Structural };
}

function versionsOf(crd: unknown): readonly Version[] {
  return valueAt(crd, "spec.versions") as readonly Version[];
}

/** `spec.replicas: integer`, for each field; lists with their keys. */
function fieldsOf(schema: Structural, path = ""): readonly string[] {
  const { type, properties = {}, items, additionalProperties } = schema;
  const keys =
    schema["x-kubernetes-list-type"] === "map" ? ` by ${schema["x-kubernetes-list-map-keys"]}` : "";
  return [
    `${path}: ${type}${keys}`,
    ...Object.entries(properties).flatMap(([name, below]) => fieldsOf(below, `${path}.${name}`)),
    ...(items === undefined ? [] : fieldsOf(items, `${path}[]`)),
    ...(typeof additionalProperties === "object"
      ? fieldsOf(additionalProperties as Structural, `${path}{}`)
      : []),
  ];
}

describe.skipIf(sharedMissing(FOLDER))("the schema of v1beta1", () => {
  it.each(readdirSync(inShared(FOLDER)))("in %s has the fields that Cluster API publishes", (file) => {
    const [published] = readYaml(readFileSync(inShared(`${FOLDER}/${file}`), "utf8"), FILE_BOUNDS);
    const kind = KINDS.find(({ group, plural }) => file === `${group}_${plural}.yaml`);
    const ours = kind === undefined ? undefined : toCrd(kind, { url: "https://example.com/convert" });
    const [theirs, mine] = [published?.value, ours].map((crd) =>
      versionsOf(crd).find(({ name }) => name === "v1beta1"),
    );
    expect(mine?.deprecated).toBe(true);
    const fields = (version: Version | undefined) =>
      fieldsOf(version?.schema.openAPIV3Schema ?? {}).toSorted();
    expect(fields(mine)).toEqual(fields(theirs));
  });
});

describe("a CRD", () => {
  it("names its older versions only where a webhook converts them", () => {
    for (const kind of KINDS) {
      const crd = toCrd(kind);
      if (crd === undefined) continue;
      expect(versionsOf(crd)).toHaveLength(1);
      expect(valueAt(crd, "spec.conversion")).toBeUndefined();
    }
  });
});
