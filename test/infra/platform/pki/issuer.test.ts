import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createIssuer } from "../../../../infra/platform/pki/issuer.ts";
import { x509 } from "../../../../infra/platform/pki/x509.ts";
import type { Secret } from "../../../../shared/api/core.ts";
import type { Issue } from "../../../../shared/function/issue.ts";
import type { IssueContext } from "../../../../shared/runtime/ports.ts";

const issuer = createIssuer(x509);
const now = new Date("2026-03-01T12:00:00.600Z");
const DAY_SECONDS = 24 * 60 * 60;
const AUTHORITY = {
  type: "authority",
  commonName: "kubernetes",
  validitySeconds: 3_650 * DAY_SECONDS,
} as const;
const authority = { namespace: "default", name: "c-ca" };
const KUBECONFIG = {
  type: "kubeconfig",
  clusterName: "c",
  server: "https://[fd00::1]:6443",
  subject: { commonName: "kubernetes-admin", organization: "system:masters" },
  validitySeconds: 365 * DAY_SECONDS,
  authority,
} as const;

function secretOf(data: Secret["data"], name = "c-ca"): Secret {
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace: "default", name }, data };
}

/** The data of what is issued, as texts. */
async function issued(what: Issue["what"], signer?: Secret): Promise<{ readonly [key: string]: string }> {
  const context: IssueContext = {
    now,
    read: async ({ name }) => (name === authority.name ? signer : undefined),
  };
  const data = await issuer.issue(what, context);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, atob(value)]));
}

function encoded(texts: { readonly [key: string]: string }): { [key: string]: string } {
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, btoa(text)]));
}

function keyOf({ "tls.key": key = "" }: { readonly [key: string]: string }) {
  return { "tls.key": key };
}

/** The certificate and key in a kubeconfig, and the authority that clients of it trust. */
function partsOf(kubeconfig: string) {
  const part = (field: string): string => {
    const [, value = ""] = new RegExp(`${field}: (\\S+)`).exec(kubeconfig) ?? [];
    return atob(value);
  };
  return {
    ca: part("certificate-authority-data"),
    cert: new X509Certificate(part("client-certificate-data")),
    key: createPrivateKey(part("client-key-data")),
  };
}

describe("an authority", () => {
  it("is called kubernetes and valid from 5 minutes ago for 10 years, and signs itself", async () => {
    const { "tls.crt": crt = "", "tls.key": key = "" } = await issued(AUTHORITY);
    const certificate = new X509Certificate(crt);
    expect([certificate.subject, certificate.issuer]).toEqual(["CN=kubernetes", "CN=kubernetes"]);
    expect(new Date(certificate.validFrom)).toEqual(new Date("2026-03-01T11:55:00Z"));
    expect(new Date(certificate.validTo)).toEqual(new Date("2036-02-27T12:00:00Z"));
    expect([certificate.ca, certificate.verify(certificate.publicKey)]).toEqual([true, true]);
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
    expect(Number.parseInt(certificate.serialNumber.slice(0, 1), 16)).toBeLessThan(8);
  });

  it("has keys of its own each time", async () => {
    const [one, other] = await Promise.all([issued(AUTHORITY), issued(AUTHORITY)]);
    expect(one["tls.key"]).not.toBe(other["tls.key"]);
  });
});

it("a bare pair has the public key in tls.crt", async () => {
  const { "tls.crt": publicKey = "", "tls.key": privateKey = "" } = await issued({ type: "keyPair" });
  expect(publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----/);
  expect(createPublicKey(privateKey).equals(createPublicKey(publicKey))).toBe(true);
});

describe("a kubeconfig", () => {
  it("has one cluster, one user and a client certificate of the authority for 365 days", async () => {
    const ca = await issued(AUTHORITY);
    const { value = "" } = await issued(KUBECONFIG, secretOf(encoded(ca)));
    const { cert, key, ca: trusted } = partsOf(value);
    const { "tls.crt": own = "" } = ca;
    const root = new X509Certificate(own);
    expect(trusted).toBe(own);
    expect(cert.subject.split("\n").toSorted()).toEqual(["CN=kubernetes-admin", "O=system:masters"]);
    expect([cert.issuer, cert.verify(root.publicKey), cert.checkIssued(root)]).toEqual([
      "CN=kubernetes",
      true,
      true,
    ]);
    expect(cert.validFrom).toBe(root.validFrom);
    expect(new Date(cert.validTo)).toEqual(new Date("2027-03-01T12:00:00Z"));
    expect([cert.ca, cert.keyUsage]).toEqual([false, ["1.3.6.1.5.5.7.3.2"]]);
    expect(cert.checkPrivateKey(key)).toBe(true);
    const names = [...value.matchAll(/^\s*(?:- )?(?:name|user|cluster|current-context|server): (\S+)$/gm)];
    expect(names.map(([, name]) => name)).toEqual(
      expect.arrayContaining(["c", "c-admin", "c-admin@c", "https://[fd00::1]:6443"]),
    );
    expect(value).not.toMatch(/token|exec|insecure/);
  });

  const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey;
  const p521 = generateKeyPairSync("ec", { namedCurve: "P-521" }).privateKey;
  it.each([
    ["RSA (PKCS #1, as Cluster API writes it)", rsa, "pkcs1"],
    ["RSA (PKCS #8)", rsa, "pkcs8"],
    ["ECDSA P-384 (SEC 1)", p384, "sec1"],
    ["ECDSA P-521", p521, "pkcs8"],
  ] as const)("is signed by authorities as they are found: %s", async (_, privateKey, type) => {
    const key = privateKey.export({ type, format: "pem" } as { type: "pkcs8"; format: "pem" }).toString();
    const cert = await x509.sign({
      subject: { commonName: "their CA, of 2020", organization: "Åse & Söhne" },
      publicKey: createPublicKey(privateKey).export({ type: "spki", format: "pem" }).toString(),
      notBefore: new Date("2020-01-01T00:00:00Z"),
      notAfter: new Date("2030-01-01T00:00:00Z"),
      use: "authority",
      signer: { key },
    });
    const secret = secretOf(encoded({ "tls.key": key }));
    const withCert = secretOf({ ...secret.data, "tls.crt": Buffer.from(cert).toString("base64") });
    expect(issuer.describe(withCert).pair).toMatchObject({ privateKey: "fits" });
    const { value = "" } = await issued(KUBECONFIG, withCert);
    const root = new X509Certificate(cert);
    const { cert: client } = partsOf(value);
    expect([client.issuer, client.verify(root.publicKey), client.checkIssued(root)]).toEqual([
      root.subject,
      true,
      true,
    ]);
    expect(client.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
  });

  it("never outlives its authority", async () => {
    const ca = await issued({ ...AUTHORITY, validitySeconds: 30 * DAY_SECONDS });
    const { value = "" } = await issued(KUBECONFIG, secretOf(encoded(ca)));
    const { "tls.crt": root = "" } = ca;
    expect(partsOf(value).cert.validTo).toBe(new X509Certificate(root).validTo);
  });

  it("is not issued without the authority's key; the message names the Secret and no value", async () => {
    const ca = encoded(await issued(AUTHORITY));
    const other = encoded(await issued(AUTHORITY));
    const broken: readonly (readonly [Secret | undefined, string])[] = [
      [secretOf({ ...ca, "tls.key": "" }), "Secret default/c-ca: key tls.key is missing"],
      [secretOf({ ...ca, ...keyOf(other) }), "does not belong to tls.crt"],
      [secretOf({ ...ca, "tls.crt": btoa("c4n4ry") }), "key tls.crt holds no certificate"],
      [secretOf({ ...ca, "tls.key": btoa("c4n4ry") }), "key tls.key holds no private key"],
      [undefined, "was deleted meanwhile"],
    ];
    for (const [secret, message] of broken) {
      const failure = await issued(KUBECONFIG, secret).catch(String);
      expect(failure).toContain(message);
      expect(failure).not.toMatch(/c4n4ry|BEGIN/);
    }
  });
});
