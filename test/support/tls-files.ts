import type { CertificateRequest, Credentials } from "../../infra/platform/pki/pki.ts";
import { x509 } from "../../infra/platform/pki/x509.ts";

const HOUR_MS = 60 * 60_000;
const LOOPBACK = { dns: ["localhost"], ips: ["127.0.0.1"] };

/** An authority of a test, and what it signs; PEM. */
export interface TestAuthority extends Credentials {
  /** Valid from an hour ago until `hours` from now. */
  issue(
    use: "client" | "server",
    options?: { readonly name?: string; readonly hours?: number },
  ): Promise<Credentials>;
}

export async function newAuthority(): Promise<TestAuthority> {
  const signer = await signed({ commonName: "tests" }, "authority");
  return {
    ...signer,
    issue: (use, { name = "client", hours } = {}) =>
      signed({ commonName: name }, use === "server" ? LOOPBACK : "client", { signer, hours }),
  };
}

async function signed(
  subject: CertificateRequest["subject"],
  use: CertificateRequest["use"],
  { signer, hours = 24 }: { readonly signer?: Credentials; readonly hours?: number | undefined } = {},
): Promise<Credentials> {
  const { publicKey, privateKey: key } = await x509.newKeys();
  const [notBefore, notAfter] = [instant(Math.min(hours, 0) - 1), instant(hours)];
  return {
    key,
    cert: await x509.sign({ subject, publicKey, notBefore, notAfter, use, signer: signer ?? { key } }),
  };
}

/** Certificates know no smaller part of a time than a second. */
function instant(hoursFromNow: number): Date {
  return new Date(Math.floor((Date.now() + hoursFromNow * HOUR_MS) / 1_000) * 1_000);
}
