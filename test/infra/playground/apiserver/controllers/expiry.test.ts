import { describe, expect, it } from "vitest";
import { Converters } from "../../../../../infra/playground/apiserver/kinds/conversion.ts";
import type { KubeObject } from "../../../../../infra/playground/apiserver/objects/kube-object.ts";
import { Users } from "../../../../../infra/playground/apiserver/request/request.ts";
import { Storage } from "../../../../../infra/playground/apiserver/storage/storage.ts";
import { runVirtualServer } from "../../../../../infra/playground/apiserver/virtual-server.ts";
import { eventually } from "../../../../support/eventually.ts";
import { type Body, MERGE, startTestServer, type TestApiServer } from "../api-client.ts";

function run(storage: Storage): Disposable {
  const { stop } = runVirtualServer(storage, {
    name: "test",
    users: new Users(),
    converters: new Converters(),
    bookmarkIntervalMs: 60_000,
    controllers: true,
    podGraceScale: 0,
  });
  return { [Symbol.dispose]: stop };
}

function event(name: string, ageMinutes = 0): KubeObject {
  const creationTimestamp = new Date(Date.now() - ageMinutes * 60_000).toISOString();
  const metadata = { name, namespace: "default", uid: name, resourceVersion: "", creationTimestamp };
  return { apiVersion: "v1", kind: "Event", metadata };
}

describe("Events", () => {
  it("are kept for an hour", async () => {
    const storage = new Storage();
    using _ = run(storage);
    for (const [name, age] of [
      ["a", 90],
      ["b", 61],
      ["c", 59],
    ] as const)
      storage.put("/events", event(name, age));
    const names = () => [...storage.collection("/events").values()].map(({ metadata }) => metadata.name);
    await eventually(() => names().join() === "c", { withinMs: 5_000 });
  });

  it("are at most 10,000, the newest ones", async () => {
    const storage = new Storage();
    using _ = run(storage);
    for (let index = 0; index < 10_003; index++) storage.put("/events", event(`e${index}`));
    const events = storage.collection("/events");
    await eventually(() => events.size === 10_000, { withinMs: 5_000 });
    expect([events.find("default/e2"), events.find("default/e3")?.metadata.name]).toEqual([undefined, "e3"]);
  });
});

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
