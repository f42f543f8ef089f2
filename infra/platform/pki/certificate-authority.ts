import { randomBytes } from "node:crypto";
import type { Credentials } from "./pki.ts";
import { x509 } from "./x509.ts";

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
const LOOPBACK = { dns: ["localhost"], ips: ["127.0.0.1"] };

/** Returns an authority with a new EC key (P-256), which is not kept anywhere. */
export async function createCertificateAuthority(): Promise<CertificateAuthority> {
  const { publicKey, privateKey: key } = await x509.newKeys();
  const cert = await x509.sign({
    subject: { commonName: `capstan-${randomBytes(4).toString("hex")}` },
    publicKey,
    ...validUntil(VALID_DAYS),
    use: "authority",
    signer: { key },
  });
  return {
    cert,
    issue: async (problem) => {
      if (problem === "unknownAuthority") return (await createCertificateAuthority()).issue();
      const keys = await x509.newKeys();
      const own = await x509.sign({
        subject: { commonName: "capstan" },
        publicKey: keys.publicKey,
        ...validUntil(problem === "expired" ? -1 : VALID_DAYS),
        use: problem === "wrongName" ? { dns: ["elsewhere.invalid"], ips: [] } : LOOPBACK,
        signer: { key, cert },
      });
      return { key: keys.privateKey, cert: own };
    },
  };
}

/** Returns a validity from two days ago: clocks differ, and an expired certificate was valid before. */
function validUntil(days: number) {
  const now = Date.now();
  return { notBefore: new Date(now - 2 * DAY_MS), notAfter: new Date(now + days * DAY_MS) };
}
