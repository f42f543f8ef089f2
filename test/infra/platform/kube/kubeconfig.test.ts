import { createPrivateKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dump } from "js-yaml";
import { describe, expect, it } from "vitest";
import { loadKubeconfig, parseKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { addressList } from "../../../../infra/platform/kube/server-access.ts";
import { testFolder } from "../../../support/test-folder.ts";

const PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const base64 = (text: string) => Buffer.from(text).toString("base64");

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly file?: object;
}

function kubeconfig({ cluster = {}, user = { token: "secret-token" }, file = {} }: Parts = {}): string {
  return dump({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: "https://10.0.0.1:6443", ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
    ...file,
  });
}

/** A key as PEM in no time: its factors are not prime, and nothing that signs asks. */
function rsaKeyOf(bits: number): string {
  const odd = (length: number): Buffer => {
    const bytes = randomBytes(length / 8);
    bytes[0] = 0xff;
    bytes[bytes.length - 1] = 1;
    return bytes;
  };
  const [p, q] = [odd(bits / 2), odd(bits / 2)];
  const product = BigInt(`0x${p.toString("hex")}`) * BigInt(`0x${q.toString("hex")}`);
  const halves = { p, q, dp: odd(bits / 2), dq: odd(bits / 2), qi: odd(bits / 2) };
  const numbers = { ...halves, d: odd(bits), n: Buffer.from(product.toString(16), "hex") };
  const encoded = Object.entries(numbers).map(([name, bytes]) => [name, bytes.toString("base64url")]);
  const jwk = { kty: "RSA", e: "AQAB", ...Object.fromEntries(encoded) };
  return createPrivateKey({ key: jwk, format: "jwk" }).export({ type: "pkcs8", format: "pem" }).toString();
}

describe("kubeconfig of a workload cluster", () => {
  it("gives server, certificates and token", () => {
    const access = parseKubeconfig(
      kubeconfig({
        cluster: { "certificate-authority-data": base64(PEM), "tls-server-name": "api.example" },
        user: { "client-certificate-data": base64(PEM), "client-key-data": base64(PEM), token: "t" },
      }),
    );
    expect(access).toMatchObject({ ca: PEM, cert: PEM, key: PEM, token: "t", tlsServerName: "api.example" });
    expect(access.server.href).toBe("https://10.0.0.1:6443/");
  });

  it("keeps the base path of a server behind a proxy", () => {
    const text = kubeconfig({ cluster: { server: "https://rancher.example/k8s/clusters/c-1" } });
    expect(parseKubeconfig(text).server.pathname).toBe("/k8s/clusters/c-1");
  });

  it("does not look at entries that the current context does not use", () => {
    const text = kubeconfig({
      file: {
        users: [
          { name: "u", user: { token: "t" } },
          { name: "other", user: { exec: { command: "rm" } } },
        ],
      },
    });
    expect(parseKubeconfig(text).token).toBe("t");
  });

  it("is refused unread when it is larger than any real one", () => {
    const contexts = Array.from({ length: 10_000 }, (_, at) => ({ name: `x${at}`, context: {} }));
    expect(() => parseKubeconfig(kubeconfig({ file: { contexts } }))).toThrow("more than 262144 bytes");
  });

  it.each([
    [
      "exec",
      {
        user: {
          exec: { apiVersion: "client.authentication.k8s.io/v1", command: "touch", args: ["/tmp/owned"] },
        },
      },
    ],
    ["auth-provider", { user: { "auth-provider": { name: "gcp" } } }],
    ["tokenFile", { user: { tokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token" } }],
    ["client-certificate", { user: { "client-certificate": "/etc/passwd" } }],
    ["client-key", { user: { "client-key": "/etc/shadow" } }],
    ["certificate-authority", { cluster: { "certificate-authority": "/etc/passwd" } }],
    ["proxy-url", { cluster: { "proxy-url": "ftp://user:secret-token@proxy.example" } }],
    ["proxy-url", { cluster: { "proxy-url": "proxy.example:3128" } }],
    ["proxy-url", { cluster: { "proxy-url": "http://user:secret-token@169.254.169.254" } }],
    ["insecure-skip-tls-verify", { cluster: { "insecure-skip-tls-verify": true } }],
    ["username", { user: { username: "admin", password: "secret-token" } }],
    ["as", { user: { as: "system:admin", token: "secret-token" } }],
    ["surprise", { user: { surprise: "x", token: "secret-token" } }],
    ["server", { cluster: { server: "http://10.0.0.1:6443" } }],
    ["server", { cluster: { server: "https://169.254.169.254/latest" } }],
    ["server", { cluster: { server: "https://2852039166" } }],
    ["server", { cluster: { server: "https://[fe80::1]:6443" } }],
    ["server", { cluster: { server: "https://[::ffff:169.254.169.254]" } }],
    ["server", { cluster: { server: "https://user:secret-token@10.0.0.1" } }],
    ["server", { cluster: { server: "file:///etc/passwd" } }],
    ["server", { cluster: { server: "not a url" } }],
    ["certificate-authority-data", { cluster: { "certificate-authority-data": "%%%" } }],
    ["current-context", { file: { "current-context": "", contexts: [{ name: "a" }, { name: "b" }] } }],
    ["contexts", { file: { contexts: [{ name: "x" }, { name: "x" }] } }],
    ["users", { file: { users: [] } }],
    ["clusters", { file: { clusters: "none" } }],
  ] satisfies [string, Parts][])("is refused for its field %s (S-10, S-11): %j", (field, parts) => {
    const parse = () => parseKubeconfig(kubeconfig(parts));
    expect(parse).toThrow(field);
    expect(parse).not.toThrow("secret-token");
    expect(parse).toThrow(expect.objectContaining({ name: "TerminalError", reason: "InvalidKubeconfig" }));
  });

  it("is refused for a client key that takes seconds to sign, and not for one that people use (S-10)", () => {
    const withKey = (key: string) => parseKubeconfig(kubeconfig({ user: { "client-key-data": btoa(key) } }));
    expect(() => withKey(rsaKeyOf(16_384))).toThrow(
      "field client-key-data has a key of 16384 bits; use an ECDSA key, or an RSA key of at most 8192 bits",
    );
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    for (const key of [rsaKeyOf(8_192), privateKey.export({ type: "pkcs8", format: "pem" }).toString()])
      expect(withKey(key)).toMatchObject({ key });
  });

  it.each([
    ["empty text", ""],
    ["garbage", "\u0000\u0001 garbage: [secret-token"],
    ["a list", "- a\n- b\n"],
    ["aliases that multiply", "a: &a [x,x]\nb: &b [*a,*a]\ncontexts: [*b,*b]\n"],
    ["a megabyte", "x".repeat(1024 * 1024)],
    ["two documents", "a: 1\n---\nb: 1\n"],
    ["a field twice", "users: []\nusers: []\n"],
    // Minutes with a parser that looks at each key again for each key.
    ["23 kB of keys", "0x:\n".repeat(5_750)],
    ["256 KiB of keys", "0x:\n".repeat(65_000)],
    ["256 KiB of question marks", "? ".repeat(130_000)],
  ])("is refused when it is %s", (_what, content) => {
    const parse = () => parseKubeconfig(content);
    expect(parse).toThrow(expect.objectContaining({ reason: "InvalidKubeconfig" }));
    expect(parse).not.toThrow("secret-token");
  });

  it("may name loopback, with http too, only where that is allowed (KC-03, S-11)", () => {
    const text = kubeconfig({ cluster: { server: "http://127.0.0.1:6443" } });
    expect(parseKubeconfig(text, { allowLoopback: true }).server.port).toBe("6443");
    expect(() => parseKubeconfig(text, { allowLoopback: false })).toThrow("loopback");
    const named = kubeconfig({ cluster: { server: "https://localhost:6443" } });
    expect(() => parseKubeconfig(named, { allowLoopback: false })).toThrow("loopback");
    const wrapped = kubeconfig({ cluster: { server: "https://[64:ff9b::7f00:1]:6443" } });
    expect(() => parseKubeconfig(wrapped, { allowLoopback: false })).toThrow("loopback");
  });

  it.each([
    "169.254.169.254",
    "[fe80::1]",
    "[::ffff:169.254.169.254]",
    "[fd00:ec2::254]",
    "100.100.100.200",
    "168.63.129.16",
    "0.0.0.0",
    "0.1.2.3",
    "2852039166",
    "192.0.0.192",
    "224.0.0.1",
    "255.255.255.255",
    "[ff02::1]",
    "[fd00:ec2::23]",
    "[fd00:42::42]",
    "[::169.254.169.254]",
    "[64:ff9b::169.254.169.254]",
    "[64:ff9b:1::a9fe:a9fe]",
    "[2002:a9fe:a9fe::1]",
    "[2001:0:a9fe:a9fe::1]",
  ])("may never name the link-local or metadata address %s, not even by a list (S-11)", (host) => {
    const text = kubeconfig({ cluster: { server: `https://${host}:6443` } });
    const only = addressList(["0.0.0.0/0", "::/0"]);
    expect(() => parseKubeconfig(text, { allowLoopback: true })).toThrow("link-local");
    expect(() => parseKubeconfig(text, { allowLoopback: true, only })).toThrow("link-local");
  });

  it("may name only listed addresses where there is a list, and loopback where it is listed (S-11)", () => {
    const parse = (host: string, ...blocks: readonly string[]) =>
      parseKubeconfig(kubeconfig({ cluster: { server: `https://${host}:6443` } }), {
        allowLoopback: false,
        only: addressList(blocks),
      }).server.hostname;
    expect(parse("10.1.2.3", "10.0.0.0/8")).toBe("10.1.2.3");
    expect(parse("[fd12::1]", "10.0.0.0/8", "fd00::/8")).toBe("[fd12::1]");
    expect(parse("127.0.0.1", "127.0.0.0/8")).toBe("127.0.0.1");
    expect(parse("api.example.com", "10.0.0.0/8")).toBe("api.example.com");
    expect(() => parse("11.1.2.3", "10.0.0.0/8")).toThrow("outside of --workload-addresses 10.0.0.0/8");
    expect(() => parse("127.0.0.1", "10.0.0.0/8")).toThrow("--workload-addresses");
    expect(() => parse("localhost", "10.0.0.0/8")).toThrow("--workload-addresses");
  });
});

describe("kubeconfig of the management cluster", () => {
  it("is read from the explicit file before KUBECONFIG (KC-02)", async () => {
    const dir = testFolder("kubeconfig");
    const [explicit, other] = [join(dir, "explicit"), join(dir, "other")];
    await writeFile(explicit, kubeconfig({ user: { token: "explicit" } }));
    await writeFile(other, kubeconfig({ user: { token: "other" } }));
    const env = { KUBECONFIG: other };
    expect((await loadKubeconfig({ file: explicit, env })).token).toBe("explicit");
    expect((await loadKubeconfig({ env })).token).toBe("other");
  });

  it("may name files for certificates and tokens, relative to itself (KC-02)", async () => {
    const dir = testFolder("kubeconfig");
    const file = join(dir, "config");
    await writeFile(join(dir, "ca.crt"), PEM);
    await writeFile(join(dir, "token"), "from-file\n");
    await writeFile(
      file,
      kubeconfig({ cluster: { "certificate-authority": "ca.crt" }, user: { tokenFile: "token" } }),
    );
    const access = await loadKubeconfig({ file, env: {} });
    expect(access).toMatchObject({ ca: PEM, token: "from-file", tokenFile: join(dir, "token") });
  });

  it("is the pod's service account inside a cluster, and then ~/.kube/config (KC-02)", async () => {
    const dir = testFolder("kubeconfig");
    await writeFile(join(dir, "ca.crt"), PEM);
    await writeFile(join(dir, "token"), "pod");
    const env = { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443", HOME: dir };
    const access = await loadKubeconfig({ env, serviceAccountDirectory: dir });
    expect(access.server.href).toBe("https://[fd00::1]:6443/");
    expect(access.token).toBe("pod");
    await expect(loadKubeconfig({ env: { HOME: dir } })).rejects.toThrow(join(dir, ".kube", "config"));
  });

  it.each([
    ["as", { as: "system:admin", token: "secret-token" }],
    ["username", { username: "admin", password: "secret-token" }],
    ["token", { token: 12345 }],
    ["token", { token: "secret-token\nX-Injected: 1" }],
  ])("is refused for its field %s rather than read as if it were not there: %j", async (field, user) => {
    const dir = testFolder("kubeconfig");
    const file = join(dir, "config");
    await writeFile(file, kubeconfig({ user }));
    const load = loadKubeconfig({ file, env: {} });
    await expect(load).rejects.toThrow(`field ${field}`);
    await expect(load).rejects.not.toThrow("secret-token");
  });

  it("runs an exec plugin that the user has configured (KC-01)", async () => {
    const dir = testFolder("kubeconfig");
    const file = join(dir, "config");
    const credential = {
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      status: { token: "from-plugin" },
    };
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: ["-e", `console.log(${JSON.stringify(JSON.stringify(credential))})`],
      interactiveMode: "Never",
    };
    await writeFile(file, kubeconfig({ user: { exec } }));
    expect((await loadKubeconfig({ file, env: {} })).token).toBe("from-plugin");
  });
});
