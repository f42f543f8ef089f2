import { describe, expect, it } from "vitest";
import { eventually } from "../../../../support/eventually.ts";
import { type Body, CRDS_PATH, MERGE, startTestServer, WIDGETS_PATH, widget } from "../api-client.ts";
import { WIDGETS } from "../widgets.ts";

const CRD = `${CRDS_PATH}/widgets.test.capstan.dev`;

/** The Widget kind with a second, newer version that lacks `color` and has `weight`. */
function twoVersions(): Body {
  const crd = structuredClone(WIDGETS) as Body;
  const [v1] = crd.spec.versions;
  const v2 = structuredClone(v1);
  v2.name = "v2";
  v2.storage = false;
  const { color: _, ...properties } = v2.schema.openAPIV3Schema.properties.spec.properties;
  v2.schema.openAPIV3Schema.properties.spec.properties = {
    ...properties,
    weight: { type: "integer", default: 7 },
  };
  v1.deprecated = true;
  crd.spec.versions = [v1, v2];
  return crd;
}

describe("CustomResourceDefinitions", () => {
  it("are served as soon as they are created", async () => {
    await using api = await startTestServer();
    const { body: crd } = await api.call("GET", CRD);
    expect(crd.status.conditions.map(({ type, status }: Body) => `${type}=${status}`)).toEqual([
      "NamesAccepted=True",
      "Established=True",
    ]);
    expect(crd.status).toMatchObject({
      storedVersions: ["v1"],
      acceptedNames: { plural: "widgets", listKind: "WidgetList" },
    });
    const { body: resources } = await api.call("GET", "/apis/test.capstan.dev/v1");
    expect(resources.resources.map((resource: Body) => resource.name)).toEqual([
      "widgets",
      "widgets/status",
      "widgets/scale",
    ]);
    expect((await api.call("GET", "/openapi/v3")).body.paths["apis/test.capstan.dev/v1"]).toBeDefined();
  });

  it("show one object in every version, pruned by its schema", async () => {
    await using api = await startTestServer({ withWidgets: false });
    await api.call("POST", CRDS_PATH, { body: twoVersions() });
    const made = await api.call("POST", WIDGETS_PATH, { body: widget("a", { color: "red", size: 1 }) });
    expect(made.headers["warning"]).toBe(
      '299 - "test.capstan.dev/v1 Widget is deprecated; use test.capstan.dev/v2 Widget"',
    );
    const path = WIDGETS_PATH.replace("v1", "v2");
    const { body } = await api.call("GET", `${path}/a`);
    // Fields that the stored version does not have are lost, defaults as well: Kubernetes 1.34 does the same.
    expect([body.apiVersion, body.spec]).toEqual(["test.capstan.dev/v2", { mode: "Auto", size: 1 }]);
    const change = { type: MERGE, body: { spec: { size: 2 } } };
    expect((await api.call("PATCH", `${path}/a`, change)).body.spec).toEqual({ mode: "Auto", size: 2 });
    await using watch = await api.watch(`${path}?watch=1`);
    expect((await watch.next())?.object.apiVersion).toBe("test.capstan.dev/v2");
    const { body: group } = await api.call("GET", "/apis/test.capstan.dev");
    expect(group.preferredVersion.version).toBe("v2");
  });

  it("warn of rules that cannot be evaluated and store them", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const crd = structuredClone(WIDGETS) as Body;
    const rules = [{ rule: "self.nonsense(" }];
    crd.spec.versions[0].schema.openAPIV3Schema.properties.spec["x-kubernetes-validations"] = rules;
    const made = await api.call("POST", CRDS_PATH, { body: crd });
    expect([made.code, made.headers["warning"]]).toEqual([201, '299 - "v1: not evaluated: self.nonsense("']);
    expect((await api.call("POST", WIDGETS_PATH, { body: widget("a") })).code).toBe(201);
  });

  it("that are not structural are refused", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const crd = structuredClone(WIDGETS) as Body;
    const { properties } = crd.spec.versions[0].schema.openAPIV3Schema.properties.spec;
    properties.untyped = {};
    properties.items.items.required = [];
    const { code, body } = await api.call("POST", CRDS_PATH, { body: crd });
    const root = "spec.validation.openAPIV3Schema.properties[spec].properties";
    expect([code, body.details.causes.map((cause: Body) => cause.field)]).toEqual([
      422,
      [`${root}[items].items.properties[name].default`, `${root}[untyped].type`],
    ]);
  });

  it("change the schema for later reads only", async () => {
    await using api = await startTestServer();
    await api.call("POST", WIDGETS_PATH, { body: widget("a", { color: "red" }) });
    const versions = structuredClone(WIDGETS.spec.versions) as Body;
    const { properties } = versions[0].schema.openAPIV3Schema.properties.spec;
    delete properties.color;
    properties.weight = { type: "integer", default: 7 };
    await api.call("PATCH", CRD, { type: MERGE, body: { spec: { versions } } });
    const { body } = await api.call("GET", `${WIDGETS_PATH}/a`);
    expect([body.spec, body.metadata.generation]).toEqual([{ mode: "Auto", weight: 7 }, 1]);
  });

  it("go with their objects, finalizers honoured", async () => {
    await using api = await startTestServer();
    await api.call("POST", WIDGETS_PATH, { body: widget("a", {}, { finalizers: ["a.b/c"] }) });
    await api.call("POST", WIDGETS_PATH, { body: widget("b") });
    const deleted = await api.call("DELETE", CRD);
    expect(deleted.body.metadata.finalizers).toEqual(["customresourcecleanup.apiextensions.k8s.io"]);
    await eventually(async () => (await api.call("GET", `${WIDGETS_PATH}/b`)).code === 404, {
      withinMs: 5_000,
    });
    const { body: crd } = await api.call("GET", CRD);
    expect(crd.status.conditions.map((condition: Body) => condition.type)).toContain("Terminating");
    await api.call("PATCH", `${WIDGETS_PATH}/a`, { type: MERGE, body: { metadata: { finalizers: null } } });
    await eventually(async () => (await api.call("GET", CRD)).code === 404, { withinMs: 5_000 });
    expect((await api.call("GET", "/apis/test.capstan.dev/v1")).code).toBe(404);
    expect((await api.call("POST", CRDS_PATH, { body: WIDGETS })).code).toBe(201);
    expect((await api.call("GET", WIDGETS_PATH)).body.items).toEqual([]);
  });
});
