import { describe, expect, it } from "vitest";
import { startApiServer } from "../../../../infra/playground/apiserver/server.ts";
import { eventually } from "../../../support/eventually.ts";
import { readKubeconfig } from "../../../support/read-kubeconfig.ts";
import { type ApiClient, clientFor, startTestServer } from "./api-client.ts";

describe("API servers", () => {
  it("of one process share nothing but code", async () => {
    await using one = await startTestServer();
    await using two = await startTestServer({ withWidgets: false });
    await one.call("POST", "/api/v1/nodes", { body: { metadata: { name: "n" } } });
    expect((await two.call("GET", "/api/v1/nodes")).body.items).toEqual([]);
    expect((await two.call("GET", "/apis/test.capstan.dev/v1/widgets")).code).toBe(404);
    expect((await clientFor(two.server.url, one.server.token).call("GET", "/api")).code).toBe(401);
  });

  it("can be two hundred", async () => {
    const servers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => startApiServer({ name: `w${index}` })),
    );
    expect(new Set(servers.map((server) => server.port)).size).toBe(200);
    await Promise.all(servers.map((server) => server.stop()));
  });

  it("write a kubeconfig named after them", async () => {
    await using api = await startTestServer({ withWidgets: false, name: "c: 1" });
    const kubeconfig = readKubeconfig(api.server.kubeconfig());
    expect([kubeconfig["current-context"], kubeconfig.clusters[0].name]).toEqual(["c: 1", "c: 1"]);
    const { server } = kubeconfig.clusters[0].cluster;
    expect((await clientFor(server, "").call("GET", "/api/v1/namespaces/default")).code).toBe(200);
    expect(kubeconfig.users[0].user.token).toBe(api.server.token);
  });

  it("end their watches when they stop, and stop twice", async () => {
    const api = await startTestServer();
    await using watch = await api.watch("/api/v1/nodes?watch=1");
    await api.server.stop();
    await expect(watch.next().catch(() => undefined)).resolves.toBeUndefined();
    await api.server.stop();
  });

  it("break everything that is asked while they are not to answer, also what needs no object or is refused", async () => {
    await using api = await startTestServer();
    await using watch = await api.watch("/api/v1/nodes?watch=1");
    const stranger = clientFor(api.server.url, "unknown");
    const codes = async () => [
      ...(await Promise.all(["/", "/healthz", "/api/v1/nodes", "/nowhere"].map((path) => codeOf(api, path)))),
      await codeOf(stranger, "/api"),
    ];
    expect(await codes()).toEqual([200, 200, 200, 404, 401]);
    api.server.setAnswers(false);
    expect(await watch.next().catch(() => undefined)).toBeUndefined();
    expect(await codes()).toEqual(["broken", "broken", "broken", "broken", "broken"]);
    api.server.setAnswers(true);
    // Connections that were kept for reuse may break later.
    await eventually(async () => expect(await codes()).toEqual([200, 200, 200, 404, 401]), {
      withinMs: 5_000,
    });
  });

  it("say that a port is taken", async () => {
    await using api = await startTestServer({ withWidgets: false });
    await expect(startApiServer({ name: "second", port: api.server.port })).rejects.toThrow("EADDRINUSE");
  });
});

async function codeOf(client: ApiClient, path: string): Promise<number | "broken"> {
  return client.call("GET", path).then(
    ({ code }) => code,
    () => "broken",
  );
}
