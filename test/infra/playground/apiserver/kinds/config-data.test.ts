import { describe, expect, it } from "vitest";
import { type Body, MERGE, startTestServer } from "../api-client.ts";

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
