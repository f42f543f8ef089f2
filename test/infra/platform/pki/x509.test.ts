import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { x509 } from "../../../../infra/platform/pki/x509.ts";

const PEM = { publicKeyEncoding: { type: "spki", format: "pem" } } as const;
const PRIVATE = { type: "pkcs8", format: "pem" } as const;
const NOT_BEFORE = new Date("2026-01-01T00:00:00Z");
const NOT_AFTER = new Date("2027-01-01T00:00:00Z");
const VALID = { notBefore: NOT_BEFORE, notAfter: NOT_AFTER };
const AUTHORITY = { ...VALID, subject: { commonName: "kubernetes" }, use: "authority" } as const;

const rsa = (modulusLength: number) =>
  generateKeyPairSync("rsa", { modulusLength, ...PEM, privateKeyEncoding: PRIVATE });
const ec = (namedCurve: string) =>
  generateKeyPairSync("ec", { namedCurve, ...PEM, privateKeyEncoding: PRIVATE });

interface KeyTexts {
  readonly publicKey: string;
  readonly privateKey: string;
}

function authorityOf({ publicKey, privateKey }: KeyTexts): Promise<string> {
  return x509.sign({ ...AUTHORITY, publicKey, signer: { key: privateKey } });
}

describe("certificates", () => {
  it.each<readonly [string, KeyTexts]>([
    ["RSA of 2,048 bits", rsa(2_048)],
    ["P-256", ec("prime256v1")],
    ["P-384", ec("secp384r1")],
    ["P-521", ec("secp521r1")],
  ])("of a client are signed by an authority with a key of %s", async (_, keys) => {
    const cert = await authorityOf(keys);
    const { publicKey } = await x509.newKeys();
    const subject = { commonName: "kubernetes-admin", organization: "system:masters" };
    const signer = { cert, key: keys.privateKey };
    const signed = new X509Certificate(
      await x509.sign({ ...VALID, subject, publicKey, use: "client", signer }),
    );
    const authority = new X509Certificate(cert);
    expect([authority.ca, signed.ca]).toEqual([true, false]);
    expect(signed.verify(authority.publicKey) && signed.checkIssued(authority)).toBe(true);
    expect(signed.subject.split("\n")).toEqual(["O=system:masters", "CN=kubernetes-admin"]);
    expect(signed.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(new Date(signed.validTo)).toEqual(NOT_AFTER);
  });

  it("of a server hold the names and addresses that clients use", async () => {
    const keys = ec("prime256v1");
    const signer = { cert: await authorityOf(keys), key: keys.privateKey };
    const { publicKey } = await x509.newKeys();
    const use = { dns: ["localhost"], ips: ["127.0.0.1"] };
    const signed = new X509Certificate(
      await x509.sign({ ...VALID, subject: { commonName: "kube-apiserver" }, publicKey, use, signer }),
    );
    expect([signed.checkHost("localhost"), signed.checkIP("127.0.0.1"), signed.checkIP("10.0.0.1")]).toEqual([
      "localhost",
      "127.0.0.1",
      undefined,
    ]);
  });

  it("have different serial numbers, all positive", async () => {
    const keys = ec("prime256v1");
    const serials = await Promise.all([1, 2, 3].map(() => authorityOf(keys)));
    const numbers = serials.map((cert) => new X509Certificate(cert).serialNumber);
    expect(new Set(numbers).size).toBe(3);
    expect(numbers.every((serial) => /^4/.test(serial))).toBe(true);
  });
});

describe("what users write into a Secret", () => {
  it("is read as a chain of at most ten certificates, the first of which counts", async () => {
    const first = await authorityOf(ec("prime256v1"));
    const second = await authorityOf(ec("prime256v1"));
    expect(x509.read(`notes\n${first}${second}`)).toMatchObject([
      { isAuthority: true, notBefore: NOT_BEFORE, notAfter: NOT_AFTER },
      { isAuthority: true },
    ]);
    expect(x509.read(first.repeat(500))).toHaveLength(10);
  });

  it.each([
    ["empty", ""],
    ["without an end", "-----BEGIN CERTIFICATE-----\nAAAA"],
    ["of beginnings only", "-----BEGIN CERTIFICATE-----".repeat(30_000)],
  ])("has no certificate where it is %s", (_, text) => {
    expect(() => x509.read(text)).toThrow("certificate missing; write one in PEM");
  });

  it("fits where the private key is that of the certificate", () => {
    const [one, other] = [ec("prime256v1"), ec("prime256v1")];
    expect([one, other].map(({ privateKey }) => x509.fits(one.publicKey, privateKey))).toEqual([true, false]);
  });

  it("is refused where the key cannot sign here: another type, or encrypted", () => {
    const ed25519 = generateKeyPairSync("ed25519", { ...PEM, privateKeyEncoding: PRIVATE });
    expect(() => x509.fits(ed25519.publicKey, ed25519.privateKey)).toThrow(
      "private key unusable; write an RSA key of at most 8192 bits or an ECDSA key",
    );
    const encrypted = generateKeyPairSync("ec", {
      namedCurve: "prime256v1",
      ...PEM,
      privateKeyEncoding: { ...PRIVATE, cipher: "aes-256-cbc", passphrase: "x" },
    });
    expect(() => x509.fits(encrypted.publicKey, encrypted.privateKey)).toThrow(
      "private key missing; write an unencrypted one in PEM",
    );
  });
});
