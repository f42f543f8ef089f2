import { randomBytes } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A key and the certificate for it, as PEM text. */
export interface Credentials {
  readonly key: string;
  readonly cert: string;
}

/** A defect of the certificate that a server shows. */
export type CertificateProblem = "expired" | "wrongName" | "unknownAuthority";

/** Signs certificates for API servers on loopback. */
export interface CertificateAuthority {
  /** The certificate that clients must trust, as PEM text. */
  readonly cert: string;
  /** A key with a certificate for `localhost` and 127.0.0.1, valid unless a problem is named. */
  issue(problem?: CertificateProblem): Promise<Credentials>;
}

const DAY_MS = 24 * 60 * 60_000;
const VALID_DAYS = 365;
const KEYS = { name: "ECDSA", namedCurve: "P-256" } as const;
const SIGNATURE = { name: "ECDSA", hash: "SHA-256" } as const;

/** Returns an authority with a new EC key (P-256), which is not kept anywhere. Importing this file takes 100 ms. */
export async function createCertificateAuthority(): Promise<CertificateAuthority> {
  const issuer = `CN=capstan-${randomBytes(4).toString("hex")}`;
  const keys = await newKeys();
  const own = await X509CertificateGenerator.create({
    ...{ subject: issuer, issuer, publicKey: keys.publicKey, ...validUntil(VALID_DAYS) },
    ...{ signingKey: keys.privateKey, signingAlgorithm: SIGNATURE },
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    cert: own.toString("pem"),
    issue: async (problem) => {
      if (problem === "unknownAuthority") return (await createCertificateAuthority()).issue();
      const { publicKey, privateKey } = await newKeys();
      const cert = await X509CertificateGenerator.create({
        ...{
          subject: "CN=capstan",
          issuer,
          publicKey,
          ...validUntil(problem === "expired" ? -1 : VALID_DAYS),
        },
        ...{ signingKey: keys.privateKey, signingAlgorithm: SIGNATURE },
        extensions: [
          new SubjectAlternativeNameExtension(
            problem === "wrongName"
              ? [{ type: "dns", value: "elsewhere.invalid" }]
              : [
                  { type: "dns", value: "localhost" },
                  { type: "ip", value: "127.0.0.1" },
                ],
          ),
          await AuthorityKeyIdentifierExtension.create(keys.publicKey),
        ],
      });
      const key = await crypto.subtle.exportKey("pkcs8", privateKey);
      return { key: PemConverter.encode(key, "PRIVATE KEY"), cert: cert.toString("pem") };
    },
  };
}

function newKeys() {
  return crypto.subtle.generateKey(KEYS, true, ["sign", "verify"]);
}

/** From two days ago: clocks differ, and an expired certificate was valid before. */
function validUntil(days: number) {
  const now = Date.now();
  return { notBefore: new Date(now - 2 * DAY_MS), notAfter: new Date(now + days * DAY_MS) };
}
