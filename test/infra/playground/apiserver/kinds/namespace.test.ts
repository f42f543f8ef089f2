import { describe, expect, it } from "vitest";
import { MERGE, startTestServer } from "../api-client.ts";

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
