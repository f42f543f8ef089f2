import { X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newSecrets } from "../../../../infra/deploy/manifests/secrets.ts";
import { x509 } from "../../../../infra/platform/pki/x509.ts";

type Data = { readonly [file: string]: string | undefined };

/** The files of each Secret, by its name. */
async function files(options: { readonly redisHost?: string } = {}): Promise<ReadonlyMap<string, Data>> {
  const secrets = await newSecrets({ ...options, pki: x509, now: new Date() });
  return new Map(secrets.map(({ metadata, ["stringData"]: data }) => [metadata.name, data as Data]));
}

function of(all: ReadonlyMap<string, Data>, name: string): Data {
  return all.get(name) ?? {};
}

function certificate({ "tls.crt": text = "" }: Data): X509Certificate {
  return new X509Certificate(text);
}

describe("the Secrets of a deployment", () => {
  it("S-24: hold a user of Redis for each kind of process, whose password only that Secret shows", async () => {
    const all = await files();
    const users = of(all, "capstan-redis")["users.acl"] ?? "";
    for (const user of ["relay", "worker", "observer", "operator"]) {
      const { url = "" } = of(all, `capstan-${user}-queue`);
      const { username, password, host, protocol } = new URL(url);
      expect([protocol, username, host]).toEqual(["rediss:", user, "capstan-redis.capstan-system.svc:6379"]);
      const texts = [...all].flatMap(([name, data]) =>
        JSON.stringify(data).includes(password) ? [name] : [],
      );
      expect(texts).toEqual([`capstan-${user}-queue`]);
      expect(users).toMatch(new RegExp(`^user ${user} on #[0-9a-f]{64} resetchannels `, "m"));
    }
    expect(users).toMatch(/^user default off resetpass ~\* &\* \+@all$/m);
  });

  it("hold certificates that fit: three authorities, whose keys are in no Secret", async () => {
    const all = await files({ redisHost: "192.0.2.7" });
    const redis = of(all, "capstan-redis");
    const diagnostics = of(all, "capstan-diagnostics");
    const client = of(all, "capstan-diagnostics-client");
    const browsed = of(all, "capstan-console");
    for (const data of [redis, diagnostics, client, browsed]) {
      const authority = new X509Certificate(data["ca.crt"] ?? "");
      expect(certificate(data).verify(authority.publicKey)).toBe(true);
      const [{ publicKey }] = x509.read(data["tls.crt"] ?? "");
      expect(x509.fits(publicKey, data["tls.key"] ?? "")).toBe(true);
      expect(
        x509.fits(
          authority.publicKey.export({ type: "spki", format: "pem" }).toString(),
          data["tls.key"] ?? "",
        ),
      ).toBe(false);
    }
    expect(new Set([redis, diagnostics, browsed].map((data) => data["ca.crt"])).size).toBe(3);
    expect(client["ca.crt"]).toBe(diagnostics["ca.crt"]);
    expect(certificate(redis).checkIP("192.0.2.7")).toBe("192.0.2.7");
    for (const name of ["capstan-console.capstan-system.svc", "localhost"]) {
      expect(certificate(browsed).checkHost(name), name).toBeDefined();
    }
    expect(certificate(diagnostics).checkHost("capstan-relay.capstan-system.svc")).toBeDefined();
    expect(new URL(of(all, "capstan-relay-queue")["url"] ?? "").host).toBe("192.0.2.7:6379");
  });

  it("differ from those of the call before", async () => {
    const [first, second] = [await files(), await files()];
    for (const [name, data] of first) expect(of(second, name)).not.toEqual(data);
  });
});
