import { describe, expect, it } from "vitest";
import { eventually } from "../../../../support/eventually.ts";
import { clientFor, startTestServer, type TestApiServer, WIDGETS_PATH, widget } from "../api-client.ts";

const FAULTS = "/capstan/faults";

const create = (api: TestApiServer, name: string) => api.call("POST", WIDGETS_PATH, { body: widget(name) });
const namesIn = async (api: TestApiServer): Promise<string[]> =>
  (await api.call("GET", WIDGETS_PATH)).body.items.map(
    (item: { metadata: { name: string } }) => item.metadata.name,
  );

describe("the paths below /capstan", () => {
  it("switch faults on and off and show what they did", async () => {
    await using api = await startTestServer();
    const fault = {
      on: { verbs: ["get"] },
      effect: { kind: "status", code: 429, retryAfterSeconds: 1 },
    };
    const added = await api.call("POST", FAULTS, { body: fault });
    expect([added.code, added.body]).toEqual([201, { id: 1 }]);
    expect((await api.call("GET", `${WIDGETS_PATH}/a`)).code).toBe(429);
    expect((await api.call("GET", FAULTS)).body).toEqual({ faults: [{ id: 1, fault, matched: 1, hits: 1 }] });
    expect((await api.call("DELETE", `${FAULTS}/1`)).code).toBe(200);
    expect((await api.call("DELETE", `${FAULTS}/1`)).code).toBe(404);
    expect((await api.call("GET", `${WIDGETS_PATH}/a`)).code).toBe(404);
    await api.call("POST", FAULTS, { body: fault });
    await api.call("DELETE", FAULTS);
    expect((await api.call("GET", FAULTS)).body).toEqual({ faults: [] });
  });

  it("say what is wrong with a fault", async () => {
    await using api = await startTestServer();
    const problem = async (body: unknown) => {
      const reply = await api.call("POST", FAULTS, { body });
      return `${reply.code} ${reply.body.message}`;
    };
    expect(await problem({ effect: { kind: "earthquake" } })).toMatch(/^400 effect\.kind: /);
    expect(await problem({ effect: { kind: "slow", ms: -1 } })).toMatch(/^400 effect\.ms: /);
    expect(await problem({ onn: {}, effect: { kind: "garbage" } })).toMatch(/^400 body: .*onn/);
    expect(await problem("{")).toMatch(/^400 the body is not JSON: /);
    expect((await api.call("GET", "/capstan/nothing")).code).toBe(404);
    expect((await clientFor(api.server.url, "wrong").call("GET", FAULTS)).code).toBe(401);
  });

  it("cut the history", async () => {
    await using api = await startTestServer();
    const { body } = await api.call("GET", WIDGETS_PATH);
    await create(api, "a");
    expect((await api.call("POST", "/capstan/compact")).code).toBe(200);
    const since = body.metadata.resourceVersion;
    await using watch = await api.watch(`${WIDGETS_PATH}?watch=1&resourceVersion=${since}`);
    expect((await watch.next())?.object.code).toBe(410);
  });

  it("bring back an earlier state, with lower versions", async () => {
    await using api = await startTestServer();
    const { body: made } = await create(api, "a");
    await create(api, "b");
    await api.call("DELETE", `${WIDGETS_PATH}/a`);
    await using watch = await api.watch(`${WIDGETS_PATH}?watch=1`);
    await watch.next();
    expect((await api.call("POST", "/capstan/restart", { body: { undo: 2 } })).code).toBe(200);
    expect(await watch.next().catch(() => undefined)).toBeUndefined();
    // Connections that were kept for reuse have broken as well.
    expect(await eventually(() => namesIn(api), { withinMs: 5_000 })).toEqual(["a"]);
    const { body } = await api.call("GET", WIDGETS_PATH);
    expect(body.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    const { body: next } = await create(api, "c");
    expect(Number(next.metadata.resourceVersion)).toBe(Number(made.metadata.resourceVersion) + 1);
    await api.server.restart();
    expect(await eventually(() => namesIn(api), { withinMs: 5_000 })).toEqual(["a", "c"]);
    const tooFar = await api.call("POST", "/capstan/restart", { body: { undo: 5 } });
    expect([tooFar.code, tooFar.body.message]).toEqual([400, "history does not reach back 5 writes"]);
  });
});
