import { describe, expect, it } from "vitest";
import { type Body, MERGE, startTestServer } from "../api-client.ts";

const NAMESPACES = "/api/v1/namespaces";

describe("a Namespace", () => {
  it("has its own finalizer beside those of its creator, and keeps them", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const body = { metadata: { name: "n" }, spec: { finalizers: ["a.b/c"] } };
    expect((await api.call("POST", NAMESPACES, { body })).body.spec.finalizers).toEqual([
      "a.b/c",
      "kubernetes",
    ]);
    const put = await api.call("PUT", `${NAMESPACES}/n`, { body: { metadata: { name: "n" } } });
    expect(put.body.spec.finalizers).toEqual(["a.b/c", "kubernetes"]);
  });

  it("is active until it is deleted, whatever its status is said to be", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const body = { status: { phase: "Terminating" } };
    const reply = await api.call("PATCH", `${NAMESPACES}/default/status`, { type: MERGE, body });
    expect([reply.code, reply.body.details.causes[0].field]).toEqual([422, "status.Phase"]);
  });
});

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const SECRETS = "/api/v1/namespaces/default/secrets";
const metadata = { name: "c" };
const causesOf = ({ body }: { readonly body: Body }): string[] =>
  body.details.causes.map(({ field, reason }: Body) => `${field} ${reason}`);

describe("ConfigMaps and Secrets", () => {
  it("an empty map of a ConfigMap counts as absent", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const { body } = await api.call("POST", CONFIG_MAPS, { body: { metadata, data: {} } });
    expect(body).not.toHaveProperty("data");
  });

  it("stay as they are once they are immutable", async () => {
    await using api = await startTestServer({ withWidgets: false });
    await api.call("POST", SECRETS, { body: { metadata, immutable: true, stringData: { a: "x" } } });
    const change = { stringData: { a: "y" }, immutable: false };
    const reply = await api.call("PATCH", `${SECRETS}/c`, { type: MERGE, body: change });
    expect(causesOf(reply)).toEqual(["immutable FieldValueForbidden", "data FieldValueForbidden"]);
  });

  it("are unreadable with values of another type", async () => {
    await using api = await startTestServer({ withWidgets: false });
    expect((await api.call("POST", CONFIG_MAPS, { body: { metadata, data: { a: 1 } } })).code).toBe(400);
    expect((await api.call("POST", SECRETS, { body: { metadata, data: { a: "%" } } })).code).toBe(400);
  });
});
