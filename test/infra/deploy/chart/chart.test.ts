import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { archiveOf, layoutOf } from "../../../../infra/deploy/chart/archives.ts";
import { type JsonSchema, VALUES, valuesSchema } from "../../../../infra/deploy/chart/values.ts";
import { renderedChart } from "../../../support/chart.ts";

const chart = await renderedChart();
const templates = [...chart].filter(([path]) => path.startsWith("templates/"));

/** `redis.enabled` of each value of the schema. */
function keysOf({ properties = {} }: JsonSchema, before = ""): readonly string[] {
  return Object.entries(properties).flatMap(([name, property]) =>
    property.properties === undefined ? [`${before}${name}`] : keysOf(property, `${before}${name}.`),
  );
}

const keys = keysOf(valuesSchema());

describe("the Helm chart", () => {
  it("uses each value in a template, and no value that its schema lacks", () => {
    const text = templates.map(([, content]) => content).join("\n");
    const used = new Set([...text.matchAll(/\$?\.Values\.([\w.]+)/g)].map(([, path = ""]) => path));
    const groups = new Set(keys.map((key) => key.split(".")[0]));
    expect([...used].filter((path) => !keys.includes(path) && !groups.has(path))).toEqual([]);
    // `with $.Values.image` and of the chart around it.
    const whole = new Set(["global", "image", "redis"]);
    const unused = keys.filter((key) => !used.has(key) && !whole.has(key.split(".")[0] ?? ""));
    expect(unused).toEqual([]);
  });

  it("has values.yaml with the defaults of the schema and the image of the release, and a README with each value", () => {
    const given = load(chart.get("values.yaml") ?? "") as { readonly image: object };
    const defaults = VALUES.parse({});
    const image = { ...defaults.image, repository: "ghcr.io/example/capstan" };
    expect(given).toEqual({ ...defaults, image });
    expect(VALUES.parse(given)).toEqual(given);
    for (const key of keys) expect(chart.get("README.md")).toContain(`| \`${key}\` `);
  });

  it("keeps every definition at upgrades and at the end", () => {
    const definitions = templates.filter(([path]) => path.endsWith("crds.yaml"));
    expect(definitions).toHaveLength(2);
    for (const [, text] of definitions) {
      const count = (pattern: RegExp) => text.match(pattern)?.length;
      expect(count(/helm.sh\/resource-policy: keep/g)).toBe(count(/^kind: CustomResourceDefinition/gm));
    }
  });

  it("has the same bytes each time, as an archive and as an OCI layout", async () => {
    const archive = archiveOf(chart);
    expect(archiveOf(await renderedChart()).equals(archive)).toBe(true);
    const layout = layoutOf(archive, { name: "capstan", version: "0.1.0" });
    const { manifests } = JSON.parse(String(layout.get("index.json")));
    const blob = (digest: string) => layout.get(`blobs/${digest.replace(":", "/")}`);
    const { layers, config } = JSON.parse(String(blob(manifests[0].digest)));
    expect(blob(layers[0].digest)?.equals(archive)).toBe(true);
    expect(layers[0].mediaType).toBe("application/vnd.cncf.helm.chart.content.v1.tar+gzip");
    expect(JSON.parse(String(blob(config.digest)))).toMatchObject({ name: "capstan", version: "0.1.0" });
  });
});
