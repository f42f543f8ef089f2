import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer } from "../../../../infra/platform/kube/client.ts";
import type { Kind } from "../../../../shared/api/kinds.ts";
import {
  failing,
  json,
  type Reply,
  startScriptedServer,
  text,
} from "../../../support/processes/scripted-server.ts";

const verbs = ["get", "list", "patch"];

async function kindsOf(reply: Reply, apiVersion: string) {
  await using scripted = await startScriptedServer();
  scripted.others.push(reply);
  using server = createServer({ server: scripted.url }, { clock: systemClock });
  const kinds = await server.as("up").kinds(apiVersion);
  return { kinds, paths: scripted.requests.map(({ path }) => path) };
}

function list(resources: unknown): Reply {
  return json(200, { kind: "APIResourceList", apiVersion: "v1", resources });
}

describe("the kinds that a server serves", () => {
  it("are those that hold objects, without subresources", async () => {
    const { kinds, paths } = await kindsOf(
      list([
        { name: "configmaps", kind: "ConfigMap", namespaced: true, verbs },
        { name: "namespaces", kind: "Namespace", namespaced: false, verbs },
        { name: "namespaces/status", kind: "Namespace", namespaced: false, verbs },
        { name: "bindings", kind: "Binding", namespaced: true, verbs: ["create"] },
      ]),
      "v1",
    );
    const core = { group: "", version: "v1" };
    expect(kinds).toEqual<readonly Kind[]>([
      { ...core, kind: "ConfigMap", plural: "configmaps", namespaced: true },
      { ...core, kind: "Namespace", plural: "namespaces", namespaced: false },
    ]);
    expect(paths).toEqual(["/api/v1"]);
  });

  it("are missing where the group or version is not served", async () => {
    expect(await kindsOf(failing(404, "NotFound"), "parts.dev/v1")).toEqual({
      kinds: [],
      paths: ["/apis/parts.dev/v1"],
    });
  });

  it.each(["../../api/v1", "a/b/c", "", "parts.dev/v1?x", "Parts.dev/v1"])(
    "are missing without a request for an apiVersion that no server can serve: %j",
    async (apiVersion) => {
      expect(await kindsOf(failing(500, "InternalError"), apiVersion)).toEqual({ kinds: [], paths: [] });
    },
  );

  it("leave out what is malformed; HTML and a refusal are errors", async () => {
    const odd = list([null, 7, { name: 1, kind: "A" }, { name: "as", kind: "A", verbs: "all" }]);
    expect((await kindsOf(odd, "v1")).kinds).toEqual([]);
    expect((await kindsOf(list("all"), "v1")).kinds).toEqual([]);
    await expect(kindsOf(text(200, "<html>"), "v1")).rejects.toThrow("not a Kubernetes object");
    await expect(kindsOf(failing(403, "Forbidden"), "v1")).rejects.toThrow("apiresourcelists");
  });
});
