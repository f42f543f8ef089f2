import { describe, expect, it } from "vitest";
import { MERGE, startTestServer, WIDGETS_PATH, widget } from "../api-client.ts";

const PATH = `${WIDGETS_PATH}/a`;
const WIDGETS = "widgets.test.capstan.dev";
const BUSY = { kind: "status", code: 503 } as const;

describe("faults", () => {
  it("hit the requests they name, as often as they say", async () => {
    await using api = await startTestServer();
    const { faults } = api.server;
    faults.add({ on: { verbs: ["get"], resource: WIDGETS }, skip: 1, every: 2, times: 2, effect: BUSY });
    const codes: number[] = [];
    for (let turn = 0; turn < 7; turn++) codes.push((await api.call("GET", PATH)).code);
    expect(codes).toEqual([404, 404, 503, 404, 503, 404, 404]);
    expect(faults.list).toEqual([]);
  });

  it("distinguish objects, subresources, namespaces and clients", async () => {
    await using api = await startTestServer();
    const { faults } = api.server;
    const hits = async (on: Parameters<typeof faults.add>[0]["on"], path: string) => {
      const id = faults.add({ ...(on ? { on } : {}), effect: BUSY });
      const { code } = await api.call("GET", path);
      faults.remove(id);
      return code === 503;
    };
    expect(await hits(undefined, PATH)).toBe(true);
    expect(await hits(undefined, "/readyz")).toBe(false);
    expect(await hits({ path: "/readyz" }, "/readyz")).toBe(true);
    expect(await hits({ path: "/readyz" }, PATH)).toBe(false);
    expect(await hits({ name: "a" }, PATH)).toBe(true);
    expect(await hits({ name: "a" }, `${WIDGETS_PATH}/b`)).toBe(false);
    expect(await hits({ subresource: "status" }, PATH)).toBe(false);
    expect(await hits({ subresource: "status" }, `${PATH}/status`)).toBe(true);
    expect(await hits({ subresource: "" }, `${PATH}/status`)).toBe(false);
    expect(await hits({ namespace: "other" }, PATH)).toBe(false);
    expect(await hits({ userAgent: "tester" }, PATH)).toBe(true);
    expect(await hits({ userAgent: "machinepool-status" }, PATH)).toBe(false);
  });

  it("of one virtual server leave the others alone", async () => {
    await using one = await startTestServer();
    await using two = await startTestServer();
    one.server.faults.add({ effect: BUSY });
    expect([(await one.call("GET", PATH)).code, (await two.call("GET", PATH)).code]).toEqual([503, 404]);
    one.server.faults.clear();
    expect((await one.call("GET", PATH)).code).toBe(404);
  });

  it("take a kind out of service and put it back", async () => {
    await using api = await startTestServer();
    await api.call("POST", WIDGETS_PATH, { body: widget("a") });
    await using watch = await api.watch(`${WIDGETS_PATH}?watch=1`);
    await watch.next();
    const id = api.server.faults.add({ on: { resource: WIDGETS }, effect: { kind: "notServed" } });
    expect(await watch.next()).toBeUndefined();
    for (const path of [PATH, WIDGETS_PATH, "/apis/test.capstan.dev/v1"]) {
      expect((await api.call("GET", path)).code).toBe(404);
    }
    expect((await api.call("GET", "/api/v1/namespaces")).code).toBe(200);
    api.server.faults.remove(id);
    expect((await api.call("PATCH", PATH, { type: MERGE, body: { spec: { size: 2 } } })).code).toBe(200);
  });
});
