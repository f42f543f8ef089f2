import { describe, expect, it } from "vitest";
import {
  APPLY,
  type Body,
  entriesOf,
  JSON_PATCH,
  MERGE,
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
