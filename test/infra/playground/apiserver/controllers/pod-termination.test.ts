import { describe, expect, it } from "vitest";
import { eventually } from "../../../../support/eventually.ts";
import { type Body, MERGE, startTestServer, type TestApiServer } from "../api-client.ts";

const PODS = "/api/v1/namespaces/default/pods";

async function create(api: TestApiServer, name: string, metadata: Body = {}, spec: Body = {}): Promise<void> {
  await api.call("POST", PODS, {
    body: {
      metadata: { name, ...metadata },
      spec: { containers: [{ name: "c", image: "i" }], nodeName: "n", ...spec },
    },
  });
}

const read = (api: TestApiServer, name: string) => api.call("GET", `${PODS}/${name}`);

describe("the end of a Pod", () => {
  it("comes after its grace period", async () => {
    await using api = await startTestServer({ withWidgets: false, podGraceScale: 0.01 });
    await create(api, "p", {}, { terminationGracePeriodSeconds: 20 });
    const { code, body } = await api.call("DELETE", `${PODS}/p`);
    expect([code, body.kind, body.metadata.deletionGracePeriodSeconds]).toEqual([200, "Pod", 20]);
    const { creationTimestamp, deletionTimestamp } = body.metadata;
    expect(Date.parse(deletionTimestamp) - Date.parse(creationTimestamp)).toBeGreaterThanOrEqual(20_000);
    expect((await read(api, "p")).code).toBe(200);
    await eventually(async () => (await read(api, "p")).code === 404, { withinMs: 10_000 });
  });

  it("waits for finalizers as well", async () => {
    await using api = await startTestServer({ withWidgets: false });
    await create(api, "p", { finalizers: ["a.b/c"] });
    await api.call("DELETE", `${PODS}/p`);
    const graceOf = async () => (await read(api, "p")).body.metadata.deletionGracePeriodSeconds;
    await eventually(async () => (await graceOf()) === 0, { withinMs: 5_000 });
    await api.call("PATCH", `${PODS}/p`, { type: MERGE, body: { metadata: { finalizers: null } } });
    expect((await read(api, "p")).code).toBe(404);
  });

  it("comes at once without a node, without grace, and when a client shortens the grace to nothing", async () => {
    await using api = await startTestServer({ withWidgets: false, podGraceScale: 1 });
    await create(api, "unscheduled", {}, { nodeName: "" });
    expect((await api.call("DELETE", `${PODS}/unscheduled`)).body.kind).toBe("Pod");
    expect((await read(api, "unscheduled")).code).toBe(404);
    await create(api, "p");
    await api.call("DELETE", `${PODS}/p`);
    const shorter = await api.call("DELETE", `${PODS}/p`, { body: { gracePeriodSeconds: 5 } });
    expect(shorter.body.metadata.deletionGracePeriodSeconds).toBe(5);
    const longer = await api.call("DELETE", `${PODS}/p`, { body: { gracePeriodSeconds: 50 } });
    expect(longer.body.metadata.deletionGracePeriodSeconds).toBe(5);
    await api.call("DELETE", `${PODS}/p?gracePeriodSeconds=0`);
    expect((await read(api, "p")).code).toBe(404);
  });
});
