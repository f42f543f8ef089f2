import { describe, expect, it } from "vitest";
import type { Converter } from "../../../../infra/apiserver/kinds/conversion.ts";
import {
  type Body,
  CRDS_PATH,
  MERGE,
  startTestServer,
  type TestApiServer,
  WIDGETS_PATH,
  widget,
} from "../api-client.ts";
import { WIDGETS } from "../widgets.ts";

const V2_PATH = WIDGETS_PATH.replace("v1", "v2");

/** Widgets whose `spec.color` is called `spec.colour` in v2. */
async function startTwoVersions(strategy: "Webhook" | "None" = "Webhook"): Promise<TestApiServer> {
  const crd = structuredClone(WIDGETS) as Body;
  const [v1] = crd.spec.versions;
  const v2 = { ...structuredClone(v1), name: "v2", storage: false };
  const { color, ...rest } = v2.schema.openAPIV3Schema.properties.spec.properties;
  v2.schema.openAPIV3Schema.properties.spec.properties = { ...rest, colour: color };
  crd.spec.versions = [v1, v2];
  const clientConfig = { url: "https://127.0.0.1:1/convert" };
  const webhook = { conversionReviewVersions: ["v1"], clientConfig };
  crd.spec.conversion = strategy === "None" ? { strategy } : { strategy, webhook };
  const api = await startTestServer({ withWidgets: false });
  const { code, text } = await api.call("POST", CRDS_PATH, { body: crd });
  if (code !== 201) throw new Error(text);
  return api;
}

const rename: Converter = (object, apiVersion) => {
  const [from, to] = apiVersion.endsWith("v2") ? ["color", "colour"] : ["colour", "color"];
  const { [from]: value, ...spec } = (object as Body).spec;
  const metadata = {
    ...object.metadata,
    name: "renamed",
    labels: { ...object.metadata.labels, seen: "yes" },
  };
  return { ...object, apiVersion, metadata, spec: value === undefined ? spec : { ...spec, [to]: value } };
};

describe("conversion", () => {
  it("A-55: asks the converter of the kind for every other version", async () => {
    await using api = await startTwoVersions();
    api.server.converters.add("test.capstan.dev", "Widget", rename);
    await api.call("POST", WIDGETS_PATH, { body: widget("a", { color: "red" }) });
    const { body } = await api.call("GET", `${V2_PATH}/a`);
    expect(body).toMatchObject({ apiVersion: "test.capstan.dev/v2", spec: { colour: "red" } });
    // Names and the like are not for converters to change.
    expect([body.metadata.name, body.metadata.labels, body.spec.color]).toEqual([
      "a",
      { seen: "yes" },
      undefined,
    ]);
    const made = { ...widget("b", { colour: "blue" }), apiVersion: "test.capstan.dev/v2" };
    expect((await api.call("POST", V2_PATH, { body: made })).body.spec.colour).toBe("blue");
    expect((await api.call("GET", `${WIDGETS_PATH}/b`)).body.spec.color).toBe("blue");
    const change = { type: MERGE, body: { spec: { colour: "green" } } };
    expect((await api.call("PATCH", `${V2_PATH}/a`, change)).code).toBe(200);
    const { items } = (await api.call("GET", WIDGETS_PATH)).body;
    expect(items.map((item: Body) => item.spec.color)).toEqual(["green", "blue"]);
    await using watch = await api.watch(`${V2_PATH}?watch=1`);
    const events = await watch.take(2);
    expect(events.map(({ object }) => object.spec.colour)).toEqual(["green", "blue"]);
  });

  it("A-55: says when a converter fails, and harms nobody who does not need it", async () => {
    await using api = await startTwoVersions();
    await api.call("POST", WIDGETS_PATH, { body: widget("a", { color: "red" }) });
    const { code, body } = await api.call("GET", `${V2_PATH}/a`);
    expect([code, body.message]).toEqual([
      500,
      "conversion webhook for test.capstan.dev/v1, Kind=Widget failed: no converter for it in this process",
    ]);
    const since = (await api.call("GET", WIDGETS_PATH)).body.metadata.resourceVersion;
    await using watch = await api.watch(`${V2_PATH}?watch=1&resourceVersion=${since}`);
    const change = { type: MERGE, body: { spec: { color: "blue" } } };
    expect((await api.call("PATCH", `${WIDGETS_PATH}/a`, change)).code).toBe(200);
    expect((await watch.take(2)).map(({ type, object }) => [type, object.code])).toEqual([["ERROR", 500]]);
  });

  it("A-55: with strategy None changes nothing but the apiVersion", async () => {
    await using api = await startTwoVersions("None");
    api.server.converters.add("test.capstan.dev", "Widget", rename);
    await api.call("POST", WIDGETS_PATH, { body: widget("a", { color: "red", size: 1 }) });
    const { body } = await api.call("GET", `${V2_PATH}/a`);
    expect([body.apiVersion, body.spec]).toEqual(["test.capstan.dev/v2", { mode: "Auto", size: 1 }]);
  });
});
