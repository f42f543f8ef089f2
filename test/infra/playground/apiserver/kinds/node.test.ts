import { describe, expect, it } from "vitest";
import { type Body, startTestServer } from "../api-client.ts";

const NODES = "/api/v1/nodes";

describe("a Node", () => {
  it("keeps its provider ID once it has one", async () => {
    await using api = await startTestServer({ withWidgets: false });
    await api.call("POST", NODES, { body: { metadata: { name: "n" } } });
    const set = (providerID: string) =>
      api.call("PATCH", `${NODES}/n`, {
        body: { spec: { providerID } },
        type: "application/merge-patch+json",
      });
    expect((await set("x://1")).body.spec.providerID).toBe("x://1");
    const { code, body } = await set("x://2");
    expect([code, body.details.causes[0].reason]).toEqual([422, "FieldValueForbidden"]);
  });

  it("has each taint once, with an effect that exists", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const taint = { key: "k", effect: "NoSchedule" };
    const body = { metadata: { name: "n" }, spec: { taints: [taint, taint, { key: "k", effect: "Never" }] } };
    const reply = await api.call("POST", NODES, { body });
    expect(reply.body.details.causes.map(({ reason, field }: Body) => [field, reason])).toEqual([
      ["metadata.taints[1]", "FieldValueDuplicate"],
      ["metadata.taints[2].effect", "FieldValueNotSupported"],
    ]);
  });

  it("can give away what it has, when it registers with nothing else said", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const body = { metadata: { name: "n" }, status: { capacity: { cpu: "2" } } };
    expect((await api.call("POST", NODES, { body })).body.status.allocatable).toEqual({ cpu: "2" });
  });
});
