import { describe, expect, it } from "vitest";
import {
  type Body,
  CRDS_PATH,
  startTestServer,
  type TestApiServer,
  WIDGETS_PATH,
  widget,
} from "../api-client.ts";
import { WIDGETS } from "../widgets.ts";

const DOCUMENT = "apis/test.capstan.dev/v1";

const indexOf = async (api: TestApiServer) => (await api.call("GET", "/openapi/v3")).body.paths;

describe("paths without resources", () => {
  it("show versions, groups and health", async () => {
    await using api = await startTestServer();
    // Cluster API's manager asks a workload server for it, to see whether it is there.
    expect((await api.call("GET", "/")).body.paths).toEqual(
      expect.arrayContaining([
        "/api/v1",
        "/apis",
        "/apis/test.capstan.dev",
        "/apis/test.capstan.dev/v1",
        "/version",
      ]),
    );
    expect((await api.call("GET", "//version")).code).toBe(404);
    expect((await api.call("GET", "/version")).body.gitVersion).toMatch(/^v1\.\d+\.\d+\+capstan$/);
    expect((await api.call("GET", "/api")).body.versions).toEqual(["v1"]);
    const { body: groups } = await api.call("GET", "/apis");
    expect(groups.groups.map(({ name }: Body) => name)).toContain("test.capstan.dev");
    for (const path of ["/healthz", "/livez", "/readyz?verbose"]) {
      expect((await api.call("GET", path)).text).toMatch(/ok/);
    }
    expect((await api.call("GET", "/metrics")).text).toContain("apiserver_storage_objects");
    expect((await api.call("GET", "/apis/nothing.dev/v1")).code).toBe(404);
    expect((await api.call("GET", "/openapi/v2")).code).toBe(404);
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const { text, headers } = await api.call("GET", "/openapi/v2", { accept });
    expect([headers["content-type"], text.slice(0, 5)]).toEqual([accept.replace("@", "."), "\n\u00032.0"]);
  });

  it("list kinds with verbs, short names and subresources", async () => {
    await using api = await startTestServer();
    const { body } = await api.call("GET", `/${DOCUMENT}`);
    const [kind, status, scale] = body.resources;
    expect(kind).toMatchObject({
      name: "widgets",
      singularName: "widget",
      namespaced: true,
      shortNames: ["wd"],
    });
    expect(kind.verbs).toContain("deletecollection");
    expect([status.name, scale.name, scale.group, scale.kind]).toEqual([
      "widgets/status",
      "widgets/scale",
      "autoscaling",
      "Scale",
    ]);
    const { body: core } = await api.call("GET", "/api/v1");
    const eviction = core.resources.find(({ name }: Body) => name === "pods/eviction");
    expect(eviction).toMatchObject({ group: "policy", version: "v1", kind: "Eviction", verbs: ["create"] });
  });

  it("let clients keep OpenAPI documents until a kind changes", async () => {
    await using api = await startTestServer();
    const { serverRelativeURL } = (await indexOf(api))[DOCUMENT];
    const first = await api.call("GET", serverRelativeURL);
    const { etag = "" } = first.headers;
    expect([first.code, first.headers["cache-control"]]).toEqual([200, "public, immutable"]);
    expect((await api.call("GET", serverRelativeURL, { headers: { "if-none-match": etag } })).code).toBe(304);
    const crd = structuredClone(WIDGETS) as Body;
    crd.metadata.name = "gadgets.test.capstan.dev";
    crd.spec.names = { plural: "gadgets", kind: "Gadget" };
    await api.call("POST", CRDS_PATH, { body: crd });
    const moved = await api.call("GET", serverRelativeURL, { headers: { "if-none-match": etag } });
    expect(moved.code).toBe(301);
    expect(moved.headers.location).toBe((await indexOf(api))[DOCUMENT].serverRelativeURL);
    const { body } = await api.call("GET", moved.headers.location ?? "");
    expect(Object.keys(body.components.schemas)).toContain("dev.capstan.test.v1.Gadget");
  });

  it("a dry run uses no version, whatever the verb", async () => {
    await using api = await startTestServer();
    await api.call("POST", WIDGETS_PATH, { body: widget("a", { size: 1 }) });
    const { body: before } = await api.call("GET", WIDGETS_PATH);
    const path = `${WIDGETS_PATH}/a`;
    const { resourceVersion } = before.items[0].metadata;
    const body = widget("a", { size: 2 }, { resourceVersion });
    const merge = { type: "application/merge-patch+json", body: { spec: { size: 3 } } };
    const codes = [
      await api.call("POST", `${WIDGETS_PATH}?dryRun=All`, { body: widget("b") }),
      await api.call("PUT", `${path}?dryRun=All`, { body }),
      await api.call("PUT", `${path}/status?dryRun=All`, { body: { ...body, status: { phase: "x" } } }),
      await api.call("PATCH", `${path}?dryRun=All`, merge),
      await api.call("PATCH", `${path}/scale?dryRun=All`, { ...merge, body: { spec: { replicas: 4 } } }),
      await api.call("PATCH", `${path}?dryRun=All&fieldManager=m`, {
        type: "application/apply-patch+yaml",
        body: widget("a", { color: "red" }),
      }),
      await api.call("DELETE", `${path}?dryRun=All`),
      await api.call("DELETE", `${WIDGETS_PATH}?dryRun=All`),
    ].map(({ code }) => code);
    expect(codes).toEqual([201, 200, 200, 200, 200, 200, 200, 200]);
    expect((await api.call("GET", WIDGETS_PATH)).body).toEqual(before);
    const wrong = await api.call("DELETE", `${path}?dryRun=Some`);
    expect([wrong.code, wrong.body.details.causes[0].field]).toEqual([422, "dryRun"]);
  });
});
