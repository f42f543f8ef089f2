import { describe, expect, it } from "vitest";
import {
  APPLY,
  type ApiClient,
  clientFor,
  MERGE,
  startTestServer,
  type TestApiServer,
  WIDGETS_PATH,
  widget,
} from "../api-client.ts";

const REVIEWS = "/apis/authorization.k8s.io/v1";

describe("access reviews", () => {
  it("say what the asking user may do, and store nothing", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const allow = [{ verbs: ["get"], resources: ["pods", "pods/log"], namespaces: ["default"] }];
    const user = clientFor(api.server.url, api.server.addUser({ name: "u", allow }));
    const ask = async (resourceAttributes: object) =>
      (
        await user.call("POST", `${REVIEWS}/selfsubjectaccessreviews`, {
          body: { spec: { resourceAttributes } },
        })
      ).body.status;
    expect(await ask({ verb: "get", resource: "pods", namespace: "default" })).toEqual({ allowed: true });
    expect(await ask({ verb: "get", resource: "pods" })).toEqual({ allowed: false });
    expect(await ask({ verb: "list", resource: "pods", namespace: "default" })).toEqual({ allowed: false });
    expect(await ask({ verb: "get", resource: "pods", subresource: "log", namespace: "default" })).toEqual({
      allowed: true,
    });
    expect((await api.call("GET", `${REVIEWS}/selfsubjectaccessreviews`)).code).toBe(405);
  });

  it("say what another user may do", async () => {
    await using api = await startTestServer({ withWidgets: false });
    api.server.addUser({ name: "u", allow: [{ verbs: ["get"], resources: ["pods"] }] });
    const ask = async (user: string) => {
      const spec = { user, resourceAttributes: { verb: "get", resource: "pods" } };
      return (await api.call("POST", `${REVIEWS}/subjectaccessreviews`, { body: { spec } })).body.status
        .allowed;
    };
    expect([await ask("u"), await ask("nobody"), await ask("admin")]).toEqual([true, false, true]);
  });

  it("ask for one thing: a resource or a path", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const ask = (spec: object) => api.call("POST", `${REVIEWS}/selfsubjectaccessreviews`, { body: { spec } });
    const { code, body } = await ask({});
    expect([code, body.details.causes[0].field]).toEqual([422, "spec.resourceAttributes"]);
    const path = await ask({ nonResourceAttributes: { path: "/metrics", verb: "get" } });
    expect([path.code, path.body.status]).toEqual([201, { allowed: true }]);
  });

  it("show users who they are", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const { code, body } = await api.call("POST", path, { body: {} });
    expect([code, body.status.userInfo.username]).toEqual([201, "admin"]);
  });
});

describe("blocking the deletion of an owner", () => {
  it("S-06: needs permission on the owner's finalizers", async () => {
    await using api = await startTestServer();
    const { body: owner } = await api.call("POST", WIDGETS_PATH, { body: widget("owner") });
    const reference = {
      apiVersion: "test.capstan.dev/v1",
      kind: "Widget",
      name: "owner",
      uid: owner.metadata.uid,
      blockOwnerDeletion: true,
    };
    const ownerReferences = [reference];
    const allow = [{ verbs: ["*"], ...WIDGETS }];
    const user = clientFor(api.server.url, api.server.addUser({ name: "u", allow }));
    const created = await user.call("POST", WIDGETS_PATH, { body: widget("a", {}, { ownerReferences }) });
    expect([created.code, created.body.message]).toEqual([
      403,
      expect.stringContaining("cannot set blockOwnerDeletion"),
    ]);
    await api.call("POST", WIDGETS_PATH, { body: widget("a") });
    const metadata = { ownerReferences };
    const patched = await user.call("PATCH", `${WIDGETS_PATH}/a`, { type: MERGE, body: { metadata } });
    expect(patched.code).toBe(403);
    const applied = await user.call("PATCH", `${WIDGETS_PATH}/b?fieldManager=m`, {
      type: APPLY,
      body: widget("b", {}, metadata),
    });
    expect(applied.code).toBe(403);
    const harmless = { ownerReferences: [{ ...reference, blockOwnerDeletion: false }] };
    expect(
      (await user.call("PATCH", `${WIDGETS_PATH}/a`, { type: MERGE, body: { metadata: harmless } })).code,
    ).toBe(200);
    const finalizers = { verbs: ["update"], ...WIDGETS, resources: ["widgets/finalizers"] };
    const entitled = clientFor(
      api.server.url,
      api.server.addUser({ name: "v", allow: [...allow, finalizers] }),
    );
    expect(
      (await entitled.call("PATCH", `${WIDGETS_PATH}/a`, { type: MERGE, body: { metadata } })).code,
    ).toBe(200);
    // Once it is so, others may change the object all the same.
    const labels = { metadata: { labels: { k: "v" } } };
    expect((await user.call("PATCH", `${WIDGETS_PATH}/a`, { type: MERGE, body: labels })).code).toBe(200);
  });
});

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
