import { request } from "node:https";
import { describe, expect, it } from "vitest";
import { kubectlMissing } from "../../../../support/processes/kubectl.ts";
import { readKubeconfig } from "../../../../support/read-kubeconfig.ts";
import { describeWith } from "../../../../support/requires.ts";
import { clientFor, startTestServer, type TestApiServer } from "../api-client.ts";
import { startKubectlServer } from "../kubectl-server.ts";

/** The status code, or the code of the error that a careful client meets. */
function ask(api: TestApiServer): Promise<number | string | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | string | undefined>();
  const sent = request(
    `${api.server.url}/readyz`,
    { ca: api.server.certificateAuthority(), agent: false },
    (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    },
  );
  sent.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
  sent.end();
  return promise;
}

describe("certificates of the API server", () => {
  it("serve HTTPS that clients with the kubeconfig trust", async () => {
    await using api = await startTestServer({ tls: true });
    expect(api.server.url).toMatch(/^https:/);
    expect(await ask(api)).toBe(200);
    const [cluster] = readKubeconfig(api.server.kubeconfig()).clusters;
    const given = Buffer.from(cluster.cluster["certificate-authority-data"], "base64").toString();
    expect([cluster.cluster.server, given]).toEqual([api.server.url, api.server.certificateAuthority()]);
  });

  it("go wrong on purpose and come right again", async () => {
    await using api = await startTestServer({ tls: true });
    const present = (problem?: string) =>
      api.call("POST", "/capstan/certificate", { body: problem ? { problem } : {} });
    const met: (number | string | undefined)[] = [];
    for (const problem of ["expired", "wrongName", "unknownAuthority"]) {
      expect((await present(problem)).code).toBe(200);
      met.push(await ask(api));
    }
    expect(met).toEqual([
      "CERT_HAS_EXPIRED",
      "ERR_TLS_CERT_ALTNAME_INVALID",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ]);
    await present();
    expect(await ask(api)).toBe(200);
  });

  it("are nothing that a server without TLS can show", async () => {
    await using api = await startTestServer();
    const { code, body } = await api.call("POST", "/capstan/certificate", { body: { problem: "expired" } });
    expect([code, body.message]).toEqual([400, "this server has no TLS, and so no certificate"]);
  });

  it("leave connections that can break", async () => {
    await using api = await startTestServer({ tls: true });
    api.server.faults.add({ times: 1, effect: { kind: "reset", when: "before" } });
    await expect(api.call("GET", "/api/v1/nodes")).rejects.toThrow();
    const { url, token } = api.server;
    expect((await clientFor(url, token).call("GET", "/api/v1/nodes")).code).toBe(200);
  });
});

describeWith(kubectlMissing())("kubectl over TLS", () => {
  it("trusts the authority in its kubeconfig and sends its token", async () => {
    await using server = await startKubectlServer({ tls: true });
    expect(await server.kubectl("get namespaces -o name")).toContain("namespace/default");
    await server.api.server.presentCertificate("expired");
    expect((await server.kubectl.try("get namespaces")).output).toContain("certificate has expired");
  });
});
