import { describe, expect, it } from "vitest";
import { type Body, CRDS_PATH, startTestServer, WIDGETS_PATH, widget } from "../api-client.ts";
import { WIDGETS } from "../widgets.ts";

describe("creation", () => {
  it("sets what belongs to the server and drops the status", async () => {
    await using api = await startTestServer();
    const body = { ...widget("a", {}, { uid: "mine", generation: 9 }), status: { phase: "Up" } };
    const made = await api.call("POST", WIDGETS_PATH, { body });
    expect(made.code).toBe(201);
    const { metadata, spec, status } = made.body;
    expect(metadata).toMatchObject({ name: "a", namespace: "default", generation: 1 });
    expect(metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(1);
    expect([spec, status]).toEqual([{ mode: "Auto" }, undefined]);
  });

  it("generates names that fit into 63 characters", async () => {
    await using api = await startTestServer();
    const body = { ...widget(""), metadata: { generateName: `${"x".repeat(70)}-` } };
    const names = await Promise.all(
      [1, 2, 3].map(async () => (await api.call("POST", WIDGETS_PATH, { body })).body.metadata.name),
    );
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it("needs a namespace that exists and stays", async () => {
    await using api = await startTestServer();
    const nowhere = await api.call("POST", WIDGETS_PATH.replace("default", "nope"), { body: widget("a") });
    expect([nowhere.code, nowhere.body.message]).toEqual([404, 'namespaces "nope" not found']);
    await api.call("POST", "/api/v1/namespaces", { body: { metadata: { name: "going" } } });
    const going = WIDGETS_PATH.replace("default", "going");
    await api.call("POST", going, { body: widget("held", {}, { finalizers: ["a.b/c"] }) });
    await api.call("DELETE", "/api/v1/namespaces/going");
    const refused = await api.call("POST", going, { body: widget("b") });
    expect([refused.code, refused.body.details.causes[0].reason]).toEqual([403, "NamespaceTerminating"]);
  });

  it("says why a name is taken", async () => {
    await using api = await startTestServer();
    await api.call("POST", WIDGETS_PATH, { body: widget("a", {}, { finalizers: ["a.b/c"] }) });
    const taken = await api.call("POST", WIDGETS_PATH, { body: widget("a") });
    expect([taken.code, taken.body.message]).toEqual([409, 'widgets.test.capstan.dev "a" already exists']);
    await api.call("DELETE", `${WIDGETS_PATH}/a`);
    const deleted = await api.call("POST", WIDGETS_PATH, { body: widget("a") });
    expect(deleted.body.message).toBe('object is being deleted: widgets.test.capstan.dev "a" already exists');
  });

  it("stores nothing in a dry run and uses no version", async () => {
    await using api = await startTestServer();
    const version = async () => (await api.call("GET", WIDGETS_PATH)).body.metadata.resourceVersion;
    const before = await version();
    const dry = await api.call("POST", `${WIDGETS_PATH}?dryRun=All`, { body: widget("a") });
    expect([dry.code, dry.body.spec, dry.body.metadata.resourceVersion]).toEqual([
      201,
      { mode: "Auto" },
      undefined,
    ]);
    expect(await version()).toBe(before);
    expect((await api.call("GET", `${WIDGETS_PATH}/a`)).code).toBe(404);
  });

  it("refuses objects that are too large to store", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    const body = { metadata: { name: "l" }, spec: { holderIdentity: "x".repeat(1_600_000) } };
    const reply = await api.call("POST", leases, { body });
    expect([reply.code, reply.body.message]).toEqual([500, "etcdserver: request is too large"]);
    expect((await api.call("GET", `${leases}/l`)).code).toBe(404);
  });

  it("takes 256 KiB of annotations, names included", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const create = (name: string, annotations: object) =>
      api.call("POST", "/api/v1/namespaces/default/configmaps", {
        body: { metadata: { name, annotations } },
      });
    expect((await create("a", { a: `${"x".repeat(262_141)}ü` })).code).toBe(201);
    expect((await create("b", { a: "x".repeat(262_143), b: "" })).body.message).toBe(
      'ConfigMap "b" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
    );
  });

  it("warns of as much as the headers of an answer take", async () => {
    await using api = await startTestServer();
    const finalizers = Array.from({ length: 200 }, (_, n) => `f${n}`);
    const many = await api.call("POST", WIDGETS_PATH, { body: widget("a", {}, { finalizers }) });
    expect([many.code, many.headers["warning"]?.split(", 299").length]).toEqual([201, 33]);
    const reference = { apiVersion: "v1", kind: "Pod", name: "a", uid: "u".repeat(5_000) };
    const ownerReferences = Array.from({ length: 20 }, () => reference);
    const long = await api.call("POST", WIDGETS_PATH, { body: widget("b", {}, { ownerReferences }) });
    expect([long.code, long.headers["warning"]?.length]).toEqual([201, 264]);
  });

  it("of a Node keeps the status that it registers with", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const status = { conditions: [{ type: "Ready", status: "True" }] };
    const { body } = await api.call("POST", "/api/v1/nodes", { body: { metadata: { name: "n" }, status } });
    expect(body.status).toMatchObject(status);
    expect(body.metadata.generation).toBeUndefined();
  });

  it("evaluates CEL rules, transition rules included", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const crd = structuredClone(WIDGETS) as Body;
    crd.spec.versions[0].schema.openAPIV3Schema.properties.spec["x-kubernetes-validations"] = [
      { rule: "!has(self.size) || self.size < 50", message: "too large" },
      { rule: "!has(oldSelf.color) || self.color == oldSelf.color", message: "color stays" },
    ];
    expect((await api.call("POST", CRDS_PATH, { body: crd })).code).toBe(201);
    const large = await api.call("POST", WIDGETS_PATH, { body: widget("a", { size: 60 }) });
    expect([large.code, large.body.message]).toEqual([422, expect.stringContaining("too large")]);
    const made = await api.call("POST", WIDGETS_PATH, { body: widget("a", { color: "red" }) });
    const { resourceVersion } = made.body.metadata;
    const body = widget("a", { color: "blue" }, { resourceVersion });
    const changed = await api.call("PUT", `${WIDGETS_PATH}/a`, { body });
    expect([changed.code, changed.body.message]).toEqual([422, expect.stringContaining("color stays")]);
  });

  it("takes a resourceVersion in a dry run only", async () => {
    await using api = await startTestServer();
    const body = widget("a", {}, { resourceVersion: "7" });
    const dry = await api.call("POST", `${WIDGETS_PATH}?dryRun=All`, { body });
    expect([dry.code, dry.body.metadata.resourceVersion]).toEqual([201, "7"]);
    expect((await api.call("POST", WIDGETS_PATH, { body })).code).toBe(500);
  });
});
