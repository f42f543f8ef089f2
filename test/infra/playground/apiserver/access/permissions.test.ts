import { describe, expect, it } from "vitest";
import {
  type ApiClient,
  clientFor,
  startTestServer,
  type TestApiServer,
  WIDGETS_PATH,
  widget,
} from "../api-client.ts";

const WIDGETS = { groups: ["test.capstan.dev"], resources: ["widgets"] };

function as(
  api: TestApiServer,
  allow: Parameters<TestApiServer["server"]["addUser"]>[0]["allow"],
): ApiClient {
  return clientFor(api.server.url, api.server.addUser({ name: "u", allow }));
}

describe("permissions", () => {
  it("refuse what no rule allows, in the words of a real server", async () => {
    await using api = await startTestServer();
    const user = as(api, [{ verbs: ["get"], ...WIDGETS, namespaces: ["default"] }]);
    const message = async (method: string, path: string) => (await user.call(method, path)).body;
    expect((await user.call("GET", `${WIDGETS_PATH}/a`)).code).toBe(404);
    expect(await message("GET", WIDGETS_PATH)).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message:
        'widgets.test.capstan.dev is forbidden: User "u" cannot list resource "widgets" in API group "test.capstan.dev" in the namespace "default"',
      details: { group: "test.capstan.dev", kind: "widgets" },
    });
    expect((await message("PATCH", "/api/v1/nodes/a/status")).message).toBe(
      'nodes "a" is forbidden: User "u" cannot patch resource "nodes/status" in API group "" at the cluster scope',
    );
    expect((await message("GET", `${WIDGETS_PATH}?watch=1`)).message).toContain(
      'cannot watch resource "widgets"',
    );
    expect((await message("GET", WIDGETS_PATH.replace("default", "other"))).code).toBe(403);
  });

  it("leave discovery, versions and health open to every client with a token", async () => {
    await using api = await startTestServer();
    const user = as(api, []);
    for (const path of ["/api", "/apis", "/apis/test.capstan.dev/v1", "/version", "/openapi/v3", "/readyz"]) {
      expect((await user.call("GET", path)).code).toBe(200);
    }
  });

  it("distinguish objects by name, subresources, and everything by *", async () => {
    await using api = await startTestServer();
    for (const name of ["a", "b"]) await api.call("POST", WIDGETS_PATH, { body: widget(name) });
    const named = as(api, [{ verbs: ["*"], ...WIDGETS, names: ["a"] }]);
    expect((await named.call("GET", `${WIDGETS_PATH}/a`)).code).toBe(200);
    expect((await named.call("GET", `${WIDGETS_PATH}/b`)).code).toBe(403);
    expect((await named.call("GET", `${WIDGETS_PATH}/a/status`)).code).toBe(403);
    const all = as(api, [{ verbs: ["get"], groups: ["*"], resources: ["*"] }]);
    expect((await all.call("GET", `${WIDGETS_PATH}/b/status`)).code).toBe(200);
    expect((await all.call("DELETE", `${WIDGETS_PATH}/b`)).code).toBe(403);
  });

  it("keep those who may not do everything from administering the server", async () => {
    await using api = await startTestServer();
    const user = as(api, [{ verbs: ["*"], groups: ["*"], resources: ["*"] }]);
    const { body } = await user.call("POST", "/capstan/compact");
    expect([body.code, body.message]).toEqual([
      403,
      'forbidden: User "u" cannot use path "/capstan/compact"',
    ]);
  });
});
