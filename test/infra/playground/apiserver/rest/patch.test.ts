import { describe, expect, it } from "vitest";
import {
  APPLY,
  type Body,
  entriesOf,
  JSON_PATCH,
  MERGE,
  STRATEGIC,
  startTestServer,
  WIDGETS_PATH,
  widget,
} from "../api-client.ts";

describe("server-side apply over HTTP", () => {
  it.each([
    [{ apiVersion: "test.capstan.dev/v2" }, "test.capstan.dev/v2, Kind=Widget"],
    [{ apiVersion: "v1" }, "/v1, Kind=Widget"],
    [{ apiVersion: undefined }, "/, Kind=Widget"],
    [{ apiVersion: "a/b/c" }, "/, Kind="],
    [{ kind: "Other" }, "test.capstan.dev/v1, Kind=Other"],
  ])("refuses a configuration with %o in the words of the real server", async (other, named) => {
    await using api = await startTestServer();
    const body = { ...widget("w"), ...other };
    const reply = await api.call("PATCH", `${WIDGETS_PATH}/w?fieldManager=fn-a`, { type: APPLY, body });
    expect([reply.code, reply.body.message]).toEqual([400, `invalid object type: ${named}`]);
  });

  it("raises the generation only when something beside the status changes", async () => {
    await using api = await startTestServer();
    const apply = async (path: string, body: Body) =>
      (
        await api.call("PATCH", `${WIDGETS_PATH}/${path}?fieldManager=fn-a`, {
          type: APPLY,
          body: { ...widget("w"), ...body },
        })
      ).body.metadata.generation;
    expect(await apply("w", { spec: { size: 1 } })).toBe(1);
    expect(await apply("w", { spec: { size: 1 } })).toBe(1);
    expect(await apply("w/status", { status: { phase: "Up" } })).toBe(1);
    expect(await apply("w", { spec: { size: 2 } })).toBe(2);
  });

  it("stores nothing and sends no event when nothing changes", async () => {
    await using api = await startTestServer();
    const body = widget("w", { size: 1 });
    const first = await api.call("PATCH", `${WIDGETS_PATH}/w?fieldManager=fn-a`, { type: APPLY, body });
    const second = await api.call("PATCH", `${WIDGETS_PATH}/w?fieldManager=fn-a`, { type: APPLY, body });
    expect([first.code, second.code]).toEqual([201, 200]);
    expect(second.body).toEqual(first.body);
    const { body: list } = await api.call("GET", WIDGETS_PATH);
    expect(list.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });

  it("refuses a stale resourceVersion with 409", async () => {
    await using api = await startTestServer();
    const made = await api.call("POST", WIDGETS_PATH, { body: widget("w") });
    const { resourceVersion } = made.body.metadata;
    await api.call("PATCH", `${WIDGETS_PATH}/w`, { type: MERGE, body: { spec: { size: 1 } } });
    const stale = await api.call("PATCH", `${WIDGETS_PATH}/w?fieldManager=fn-a`, {
      type: APPLY,
      body: widget("w", { color: "red" }, { resourceVersion }),
    });
    expect([stale.code, stale.body.reason]).toEqual([409, "Conflict"]);
  });
});

describe("patches over HTTP", () => {
  it("names the writer after the User-Agent when it does not name itself", async () => {
    await using api = await startTestServer();
    await api.call("POST", WIDGETS_PATH, { body: widget("w"), headers: { "user-agent": "maker/2 (linux)" } });
    const { body } = await api.call("PATCH", `${WIDGETS_PATH}/w`, {
      type: MERGE,
      body: { spec: { size: 2 } },
    });
    expect(entriesOf(body).map((entry) => entry.split(" ", 1)[0])).toEqual(["maker/Update", "tester/Update"]);
  });

  it("takes a JSON patch with a failing test as one 422 and changes nothing", async () => {
    await using api = await startTestServer();
    await api.call("POST", WIDGETS_PATH, { body: widget("w", { size: 1 }) });
    const body = [
      { op: "replace", path: "/spec/size", value: 2 },
      { op: "test", path: "/spec/size", value: 1 },
    ];
    const reply = await api.call("PATCH", `${WIDGETS_PATH}/w`, { type: JSON_PATCH, body });
    expect([reply.code, reply.body.message]).toEqual([
      422,
      "the server rejected our request due to an error in our request",
    ]);
    expect((await api.call("GET", `${WIDGETS_PATH}/w`)).body.spec.size).toBe(1);
  });

  it("merges conditions of a Node by type and refuses strategic patches of custom resources", async () => {
    await using api = await startTestServer();
    await api.call("POST", "/api/v1/nodes", { body: { metadata: { name: "n" } } });
    for (const type of ["Ready", "DiskPressure"]) {
      const body = { status: { conditions: [{ type, status: "True" }] } };
      expect((await api.call("PATCH", "/api/v1/nodes/n/status", { type: STRATEGIC, body })).code).toBe(200);
    }
    const { body } = await api.call("GET", "/api/v1/nodes/n");
    expect(body.status.conditions.map((condition: Body) => condition.type).toSorted()).toEqual([
      "DiskPressure",
      "Ready",
    ]);
    await api.call("POST", WIDGETS_PATH, { body: widget("w") });
    expect((await api.call("PATCH", `${WIDGETS_PATH}/w`, { type: STRATEGIC, body: {} })).code).toBe(415);
  });

  it("refuses operations that nest an object deeper than a body may be", async () => {
    await using api = await startTestServer();
    await api.call("POST", "/api/v1/namespaces/default/configmaps", { body: { metadata: { name: "m" } } });
    const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}{}${"}".repeat(levels)}`);
    const deeper = (times: number) =>
      Array.from({ length: times }, (_, index) => ({
        op: "add",
        path: `/data${"/a".repeat(900 * index)}`,
        value: nested(900),
      }));
    for (const times of [2, 12]) {
      const { code, body } = await api.call("PATCH", "/api/v1/namespaces/default/configmaps/m", {
        type: JSON_PATCH,
        body: deeper(times),
      });
      expect([code, body.reason]).toEqual([422, "Invalid"]);
    }
  });

  it("cannot reach an object's prototype", async () => {
    await using api = await startTestServer();
    await api.call("POST", WIDGETS_PATH, { body: widget("w") });
    const body = '{"metadata":{"labels":{"__proto__":"x"}},"spec":{"labels":{"constructor":"y"}}}';
    await api.call("PATCH", `${WIDGETS_PATH}/w`, { type: MERGE, body });
    const added = JSON.stringify([{ op: "add", path: "/spec/__proto__/polluted", value: 1 }]);
    await api.call("PATCH", `${WIDGETS_PATH}/w`, { type: JSON_PATCH, body: added });
    expect(({} as Body).polluted).toBeUndefined();
    expect(({} as Body).x).toBeUndefined();
  });
});
