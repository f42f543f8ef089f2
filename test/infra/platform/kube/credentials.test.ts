import { generateKeyPairSync } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { dump } from "js-yaml";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer } from "../../../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { x509 } from "../../../../infra/platform/pki/x509.ts";
import { virtualClock } from "../../../support/clock.ts";
import { failing, json, startScriptedServer } from "../../../support/processes/scripted-server.ts";
import { testFolder } from "../../../support/test-folder.ts";
import { Thing } from "../../../support/thing.ts";

const key = { namespace: "default", name: "a" };
const thing = { apiVersion: "things.example/v1", kind: "Thing", metadata: { ...key, resourceVersion: "5" } };

/** Self-signed for `api.test`, made for this test; valid until 2126. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3Six6HERHu4oxXN2
cxvWfpJgtLl0JHhvYkR25kqnegKhRANCAARMtAqPMagV3RWfelX42XcgJWzxHegH
15c6kTgUwBUy9IirnnWg01fRd1+MSTy+rWe1CzfIs97olKGaAGWVYoMV
-----END PRIVATE KEY-----
`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkzCCATigAwIBAgIUfAoh+gikfs22NqgHGBOTBMoBAhwwCgYIKoZIzj0EAwIw
EzERMA8GA1UEAwwIYXBpLnRlc3QwIBcNMjYxMTIxMDYyNTU0WhgPMjEyNjEwMjgw
NjI1NTRaMBMxETAPBgNVBAMMCGFwaS50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAETLQKjzGoFd0Vn3pV+Nl3ICVs8R3oB9eXOpE4FMAVMvSIq551oNNX0Xdf
jEk8vq1ntQs3yLPe6JShmgBllWKDFaNoMGYwHQYDVR0OBBYEFG0TzxRmTc9rzoaD
YX8cN7OEziUIMB8GA1UdIwQYMBaAFG0TzxRmTc9rzoaDYX8cN7OEziUIMA8GA1Ud
EwEB/wQFMAMBAf8wEwYDVR0RBAwwCoIIYXBpLnRlc3QwCgYIKoZIzj0EAwIDSQAw
RgIhAP6x5BmEv1T8fW6wINyBdcH6Mrr16S2rzKNLcwXIVs+bAiEArIdgA9KvM4BA
FgIFgm1/TVXn+6stb8KBh0eQ/VIHsb8=
-----END CERTIFICATE-----
`;
const base64 = (text: string) => Buffer.from(text).toString("base64");

function kubeconfig(server: string, user: object, cluster: object = {}): string {
  return dump({
    clusters: [{ name: "c", cluster: { server, ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

/** A plugin that prints the next token with every call: `t1`, `t2`, … valid for so long. */
function countingPlugin(counter: string, validForMs: number): object {
  const script = `
    const fs = require("node:fs");
    const calls = Number(fs.readFileSync(${JSON.stringify(counter)}, "utf8")) + 1;
    fs.writeFileSync(${JSON.stringify(counter)}, String(calls));
    const expirationTimestamp = new Date(Date.now() + ${validForMs}).toISOString();
    const apiVersion = "client.authentication.k8s.io/v1";
    console.log(JSON.stringify({ apiVersion, kind: "ExecCredential", status: { token: "t" + calls, expirationTimestamp } }));`;
  return {
    exec: {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: ["-e", script],
      interactiveMode: "Never",
    },
  };
}

/** The library that runs plugins takes plain http only so; the client takes it for loopback. */
const PLAIN = { "insecure-skip-tls-verify": true };

describe("the token file", () => {
  it("is read again after 60 s, not before (KC-02)", async () => {
    const dir = testFolder("credentials");
    await using scripted = await startScriptedServer();
    const tokenFile = join(dir, "token");
    await writeFile(tokenFile, "second\n");
    const clock = virtualClock();
    using server = createServer({ server: scripted.url, token: "first", tokenFile }, { clock });
    const get = () =>
      server
        .as("x")
        .get(Thing, key)
        .catch(() => undefined);
    await get();
    await clock.advance(59_999);
    await get();
    await clock.advance(1);
    await get();
    await rm(tokenFile);
    await clock.advance(60_000);
    await get();
    const tokens = scripted.requests.map(({ headers }) => headers["authorization"]);
    expect(tokens).toEqual(["Bearer first", "Bearer first", "Bearer second", "Bearer second"]);
  });
});

describe("an exec plugin", () => {
  it("is asked again once its credentials have expired, and not while they are valid (KC-01)", async () => {
    const dir = testFolder("credentials");
    await using scripted = await startScriptedServer();
    const [file, counter] = [join(dir, "config"), join(dir, "calls")];
    await writeFile(counter, "0");
    await writeFile(file, kubeconfig(scripted.url.href, countingPlugin(counter, 60_000), PLAIN));
    const clock = virtualClock();
    const valid = await loadKubeconfig({ file, env: {} });
    using server = createServer(valid, { clock });
    await server
      .as("x")
      .get(Thing, key)
      .catch(() => undefined);
    await clock.advance(10_000);
    await server
      .as("x")
      .get(Thing, key)
      .catch(() => undefined);
    expect(await readFile(counter, "utf8")).toBe("1");

    await writeFile(file, kubeconfig(scripted.url.href, countingPlugin(counter, -1), PLAIN));
    using expired = createServer(await loadKubeconfig({ file, env: {} }), { clock });
    await clock.advance(10_000);
    await expired
      .as("x")
      .get(Thing, key)
      .catch(() => undefined);
    const tokens = scripted.requests.map(({ headers }) => headers["authorization"]);
    expect(tokens).toEqual(["Bearer t1", "Bearer t1", "Bearer t3"]);
  });

  it("is asked again, once, when the server refuses its credentials (KC-06)", async () => {
    const dir = testFolder("credentials");
    await using scripted = await startScriptedServer();
    const [file, counter] = [join(dir, "config"), join(dir, "calls")];
    await writeFile(counter, "0");
    await writeFile(file, kubeconfig(scripted.url.href, countingPlugin(counter, 3_600_000), PLAIN));
    const load = () => loadKubeconfig({ file, env: {} });
    using server = createServer(await load(), { clock: systemClock, reload: load });
    const refusal = failing(401, "Unauthorized");
    scripted.others.push(refusal, json(200, thing), refusal, refusal);
    expect(await server.as("x").get(Thing, key)).toMatchObject({ kind: "Thing" });
    await expect(server.as("x").get(Thing, key)).rejects.toMatchObject({ reason: "Unauthorized" });
    const tokens = scripted.requests.map(({ headers }) => headers["authorization"]);
    expect(tokens).toEqual(["Bearer t1", "Bearer t2", "Bearer t2", "Bearer t3"]);
  });

  it.each([
    ["fails", "console.error('no session; token=secret-token'); process.exit(3)", "no session"],
    ["prints a token alone", "console.log('secret-token')", "did not print an ExecCredential"],
  ])("that %s is named, and nothing that it printed as credential", async (_what, script, why) => {
    const dir = testFolder("credentials");
    const file = join(dir, "config");
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: ["-e", script],
    };
    await writeFile(file, kubeconfig("https://10.0.0.1", { exec }));
    const load = loadKubeconfig({ file, env: {} });
    await expect(load).rejects.toThrow(expect.objectContaining({ reason: "InvalidKubeconfig" }));
    await expect(load).rejects.toThrow(file);
    await expect(load).rejects.toThrow(why);
    await expect(load).rejects.not.toThrow("secret-token");
  });
});

describe("TLS", () => {
  async function tlsServer(options: object = {}) {
    const server = createTlsServer({ key: KEY, cert: CERTIFICATE, ...options }, (_request, response) => {
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify(thing));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return {
      url: `https://127.0.0.1:${port}`,
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  }

  async function get(url: string, cluster: object) {
    const dir = testFolder("credentials");
    const file = join(dir, "config");
    await writeFile(file, kubeconfig(url, { token: "t" }, cluster));
    using server = createServer(await loadKubeconfig({ file, env: {} }), { clock: systemClock });
    return await server.as("x").get(Thing, key);
  }
  const ca = { "certificate-authority-data": base64(CERTIFICATE) };

  it("checks the certificate against tls-server-name (KC-02)", async () => {
    await using server = await tlsServer();
    expect(await get(server.url, { ...ca, "tls-server-name": "api.test" })).toMatchObject({ kind: "Thing" });
    const other = get(server.url, { ...ca, "tls-server-name": "other.test" });
    await expect(other).rejects.toThrow("other.test");
    await expect(get(server.url, ca)).rejects.toMatchObject({ class: "Transient", reason: "NoAnswer" });
  });

  it("trusts the CA of the kubeconfig only (S-12)", async () => {
    await using server = await tlsServer();
    await expect(get(server.url, { "tls-server-name": "api.test" })).rejects.toThrow("self-signed");
  });

  it("is 1.2 or newer (S-12)", async () => {
    const old = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" };
    await using server = await tlsServer(old);
    const get11 = get(server.url, { ...ca, "tls-server-name": "api.test" });
    await expect(get11).rejects.toMatchObject({ reason: "NoAnswer" });
  });

  /** Of an RSA key, which a key exchange with DHE needs. */
  async function certified(dns: readonly string[]) {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const signer = { key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
    const cert = await x509.sign({
      subject: { commonName: "api.test" },
      publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + 3_600_000),
      use: { dns, ips: [] },
      signer,
    });
    const ownCa = { "certificate-authority-data": base64(cert), "tls-server-name": "api.test" };
    return { ...signer, cert, ownCa };
  }

  it("quotes no certificate at length (S-14)", async () => {
    const names = Array.from({ length: 2_000 }, (_, n) => `name-${n}.example`);
    const { key, cert, ownCa } = await certified(names);
    await using server = await tlsServer({ key, cert });
    const failure: Error = await get(server.url, ownCa).then(
      () => new Error("answered"),
      (error: Error) => error,
    );
    expect(failure.message).toContain("name-0.example");
    expect(failure.message.length).toBeLessThanOrEqual(1_024);
  });

  it("lets no server choose how long a key exchange takes, or repeat it (S-12)", async () => {
    const { key, cert, ownCa } = await certified(["api.test"]);
    const old = { key, cert, maxVersion: "TLSv1.2" as const };
    await using usual = await tlsServer(old);
    expect(await get(usual.url, ownCa)).toMatchObject({ kind: "Thing" });
    await using slow = await tlsServer({ ...old, dhparam: "auto", ciphers: "DHE-RSA-AES128-GCM-SHA256" });
    await expect(get(slow.url, ownCa)).rejects.toMatchObject({ reason: "NoAnswer" });
  });

  it("distinguishes a malformed certificate from a server that does not answer", async () => {
    await using server = await tlsServer();
    const broken = base64("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    await expect(get(server.url, { "certificate-authority-data": broken })).rejects.toMatchObject({
      name: "KubeError",
    });
  });
});
