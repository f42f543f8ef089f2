import { createPrivateKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createIssuer } from "../../../../infra/platform/pki/issuer.ts";
import { x509 } from "../../../../infra/platform/pki/x509.ts";
import type { Secret } from "../../../../shared/api/core.ts";
import type { SecretSummary } from "../../../../shared/function/secret-summary.ts";

const issuer = createIssuer(x509);
const now = new Date("2026-03-01T12:00:00Z");
const CANARY = "c4n4ry-s3cr3t";

function secretOf(data: { readonly [key: string]: string }, name = "c-ca", more: object = {}): Secret {
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace: "default", name, ...more }, data };
}

async function newAuthority(): Promise<{ readonly [key: string]: string }> {
  const what = { type: "authority", commonName: "kubernetes", validitySeconds: 86_400 } as const;
  return issuer.issue(what, { now, read: async () => undefined });
}

function keyOf({ "tls.key": key = "" }: { readonly [key: string]: string }) {
  return { "tls.key": key };
}

async function newKubeconfig(data: { readonly [key: string]: string }): Promise<string> {
  const { value = "" } = await issuer.issue(
    {
      type: "kubeconfig",
      clusterName: "c",
      server: "https://127.0.0.1:6443",
      subject: { commonName: "kubernetes-admin", organization: "system:masters" },
      validitySeconds: 3_600,
      authority: { namespace: "default", name: "c-ca" },
    },
    { now, read: async () => secretOf(data) },
  );
  return value;
}

/** An RSA key of 16,384 bits in form only: to make a real one takes minutes, and its size is judged first. */
function hugeRsaKey(): string {
  const number = (bytes: number) => randomBytes(bytes).fill(0xff, 0, 1).toString("base64url");
  const half = () => number(1_024);
  const whole = { kty: "RSA", e: "AQAB", n: number(2_048), d: number(2_048) };
  const key = { ...whole, p: half(), q: half(), dp: half(), dq: half(), qi: half() };
  return createPrivateKey({ format: "jwk", key }).export({ type: "pkcs8", format: "pem" }).toString();
}

/** Describes a kubeconfig Secret of this text. */
function kubeconfigOf(text: string): SecretSummary["kubeconfig"] {
  return issuer.describe(secretOf({ value: Buffer.from(text).toString("base64") }, "c-kubeconfig"))
    .kubeconfig;
}

describe("a Secret without its values", () => {
  it("has metadata, type and names of keys, and no annotation", () => {
    const owner = { apiVersion: "v1", kind: "Widget", name: "w", uid: "u" };
    const metadata = {
      uid: "u1",
      resourceVersion: "7",
      labels: { a: "b" },
      annotations: { applied: CANARY },
      ownerReferences: [owner],
    };
    const { annotations: _, ...shown } = metadata;
    const secret = { ...secretOf({ b: btoa(CANARY), a: "" }, "s", metadata), type: "Opaque" };
    expect(issuer.describe(secret)).toEqual({
      metadata: { name: "s", namespace: "default", ...shown },
      type: "Opaque",
      keys: ["a", "b"],
    });
  });

  it("is bounded where a user writes the list", () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, ""]));
    const summary = issuer.describe(secretOf(many, "s", { labels: many }));
    expect([summary.keys.length, Object.keys(summary.metadata.labels ?? {}).length]).toEqual([100, 100]);
  });

  it("says of a certificate when it ends, whose it is and whether the key fits", async () => {
    const data = await newAuthority();
    expect(issuer.describe(secretOf(data)).pair).toEqual({
      certificate: {
        notBefore: "2026-03-01T11:55:00.000Z",
        notAfter: "2026-03-02T12:00:00.000Z",
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        isAuthority: true,
      },
      privateKey: "fits",
    });
  });

  it("says of several certificates the earliest end", async () => {
    const keys = await x509.newKeys();
    const until = (notAfter: string) =>
      x509.sign({
        subject: { commonName: "a" },
        publicKey: keys.publicKey,
        notBefore: now,
        notAfter: new Date(notAfter),
        use: "authority",
        signer: { key: keys.privateKey },
      });
    const chain = (await until("2030-01-01T00:00:00Z")) + (await until("2028-01-01T00:00:00Z"));
    const { pair } = issuer.describe(secretOf({ "tls.crt": btoa(chain), "tls.key": btoa(keys.privateKey) }));
    expect(pair?.certificate?.notAfter).toBe("2028-01-01T00:00:00.000Z");
  });

  it("says of a bare pair of keys whether they fit", async () => {
    const data = await issuer.issue({ type: "keyPair" }, { now, read: async () => undefined });
    expect(issuer.describe(secretOf(data)).pair).toEqual({ privateKey: "fits" });
    const { "tls.key": _, ...half } = data;
    expect(issuer.describe(secretOf(half)).pair).toEqual({ privateKey: "missing" });
  });

  it("says what is wrong with keys, and never a value", async () => {
    const data = await newAuthority();
    const encrypted = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey.export({
      type: "pkcs8",
      format: "pem",
      cipher: "aes-256-cbc",
      passphrase: "x",
    });
    const ed25519 = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
    const summaries = [
      secretOf({ ...data, ...keyOf(await newAuthority()) }),
      secretOf({ ...data, "tls.key": btoa(CANARY) }),
      secretOf({ ...data, "tls.key": btoa(encrypted.toString()) }),
      secretOf({ ...data, "tls.key": btoa(ed25519.toString()) }),
      secretOf({ ...data, "tls.key": btoa("x".repeat(100_000)) }),
      secretOf({ ...data, "tls.crt": btoa(CANARY) }),
      secretOf({ ...data, "tls.crt": btoa("-----BEGIN CERTIFICATE-----".repeat(2_000)) }),
      secretOf(keyOf(data)),
    ].map((secret) => issuer.describe(secret));
    expect(summaries.map(({ pair }) => pair?.privateKey)).toEqual(Array(8).fill("unusable"));
    for (const { pair } of summaries) expect(pair?.wrong).toMatch(/tls\.(?:key|crt).*; write/);
    expect(JSON.stringify(summaries)).not.toMatch(/BEGIN|c4n4ry/);
    for (const value of Object.values(data)) expect(JSON.stringify(summaries)).not.toContain(value);
  });

  it("refuses an RSA key that signs too slowly, and says which would do", async () => {
    const secret = secretOf({ ...(await newAuthority()), "tls.key": btoa(hugeRsaKey()) });
    expect(issuer.describe(secret).pair).toMatchObject({
      privateKey: "unusable",
      wrong: expect.stringContaining("an RSA key of at most 8192 bits"),
    });
  });

  it("says of a kubeconfig its server, user, authority and client certificate", async () => {
    const data = await newAuthority();
    const summary = issuer.describe(secretOf({ value: await newKubeconfig(data) }, "c-kubeconfig"));
    expect(summary.kubeconfig).toEqual({
      server: "https://127.0.0.1:6443",
      user: "c-admin",
      authorityFingerprint: issuer.describe(secretOf(data)).pair?.certificate?.fingerprint,
      certificate: { notBefore: "2026-03-01T11:55:00.000Z", notAfter: "2026-03-01T13:00:00.000Z" },
      privateKey: "fits",
    });
  });

  it("S-04: reads the value of no Secret but kubeconfigs", async () => {
    const value = await newKubeconfig(await newAuthority());
    expect(issuer.describe(secretOf({ value }, "p1-bootstrap-data")).kubeconfig).toBeUndefined();
  });

  it("says what is wrong with a hostile kubeconfig, and never a value", async () => {
    const text = atob(await newKubeconfig(await newAuthority()));
    const token = text.replace(/user:\n\s+client-[\s\S]*?(?=contexts)/, `user: { token: ${CANARY} }\n`);
    expect(kubeconfigOf(token)).toEqual({
      server: "https://127.0.0.1:6443",
      user: "c-admin",
      authorityFingerprint: expect.any(String),
      privateKey: "missing",
    });
    const hostile = [
      text.replace(/client-certificate-data: \S+/, `client-certificate-data: ${btoa(CANARY)}`),
      text.replace(/client-key-data: \S+/, `client-key-data: ${btoa(`-----BEGIN ${CANARY}`)}`),
      text.replace(/client-key-data: \S+/, ""),
      text.replace("https://", `https://${CANARY}:${CANARY}@`),
      text.replace("server:", `exec: { command: ${CANARY} }\n    server:`),
      `a: &a [${CANARY}]\nb: [*a, *a]`,
      "{".repeat(100_000),
      CANARY,
      "",
      "x".repeat(400_000),
    ].map(kubeconfigOf);
    for (const summary of hostile) expect(summary?.wrong).toMatch(/\w/);
    expect(JSON.stringify(hostile)).not.toMatch(/BEGIN|c4n4ry/);
  });
});
