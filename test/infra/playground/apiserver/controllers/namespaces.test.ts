import { describe, expect, it } from "vitest";
import { eventually } from "../../../../support/eventually.ts";
import { type Body, MERGE, startTestServer, WIDGETS_PATH, widget } from "../api-client.ts";

const SPACE = "/api/v1/namespaces/space";
const WIDGETS_IN_SPACE = WIDGETS_PATH.replace("default", "space");

describe("namespaces", () => {
  it("that every cluster has exist from the beginning", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const { body } = await api.call("GET", "/api/v1/namespaces");
    const names = body.items.map((item: Body) => item.metadata.name);
    expect(names).toEqual(["default", "kube-node-lease", "kube-public", "kube-system"]);
  });

  it("are active, labelled with their name and held by their finalizer", async () => {
    await using api = await startTestServer({ withWidgets: false });
    const { body } = await api.call("POST", "/api/v1/namespaces", { body: { metadata: { name: "space" } } });
    expect(body).toMatchObject({ spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } });
    expect(body.metadata.labels).toEqual({ "kubernetes.io/metadata.name": "space" });
  });

  it("go when everything in them is gone", async () => {
    await using api = await startTestServer();
    await api.call("POST", "/api/v1/namespaces", { body: { metadata: { name: "space" } } });
    await api.call("POST", `${SPACE}/configmaps`, { body: { metadata: { name: "c" } } });
    await api.call("POST", WIDGETS_IN_SPACE, { body: widget("held", {}, { finalizers: ["a.b/c"] }) });
    const deleted = await api.call("DELETE", SPACE);
    expect(deleted.body.status.phase).toBe("Terminating");
    await eventually(
      async () =>
        (await api.call("GET", SPACE)).body.status.conditions[0].message.includes("widgets.test.capstan.dev"),
      { withinMs: 5_000 },
    );
    expect((await api.call("GET", `${SPACE}/configmaps/c`)).code).toBe(404);
    await api.call("PATCH", `${WIDGETS_IN_SPACE}/held`, {
      type: MERGE,
      body: { metadata: { finalizers: null } },
    });
    await eventually(async () => (await api.call("GET", SPACE)).code === 404, { withinMs: 5_000 });
  });
});
