import { describe, expect, it } from "vitest";
import { clientFor, startTestServer } from "../api-client.ts";

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
