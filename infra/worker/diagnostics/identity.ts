import { hostname } from "node:os";
import { join } from "node:path";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import type { Credentials } from "../../platform/pki/pki.ts";
import { MAX_PEM_BYTES, readCertificates } from "../../platform/pki/read-certificates.ts";
import { x509 } from "../../platform/pki/x509.ts";
import { readSmallFile } from "../../platform/read-small-file.ts";

/** Files of a listener with TLS. */
export interface IdentityFiles {
  /** Folder with `tls.crt` and `tls.key`, as of a Secret; without it the certificate signs itself. */
  readonly certDir?: string | undefined;
  /** Authorities of the clients that need no token, in PEM. */
  readonly clientCa?: string | undefined;
}

/** Certificate of a listener, and the authorities whose clients it trusts; PEM. */
export interface Identity extends Credentials {
  readonly ca?: string | undefined;
}

interface Followed extends IdentityFiles {
  readonly clock: Clock;
  readonly log: Log;
  /** Called with each later one. */
  readonly onChange: (identity: Identity) => void;
}

const LOOK_EVERY_MS = 10 * SECOND;
const DAY_MS = 24 * 60 * MINUTE;
const SELF_SIGNED_DAYS = 365;

/**
 * Reads the identity now and every 10 s. Throws when it cannot be used, with the file and the problem; a later one that
 * cannot be used is logged once, and the last one stays. An expired certificate is used: its clients refuse it, and the
 * work of the process does not depend on it.
 */
export async function followIdentity(options: Followed): Promise<Identity & Disposable> {
  const { clock, log, onChange } = options;
  const read = createSource(options);
  let current = await read();
  let warned: string | undefined;
  let cancel = (): void => undefined;
  const warn = (problem: string | undefined): void => {
    if (problem !== undefined && problem !== warned) log.warn({ error: problem }, "diagnostics: certificate");
    warned = problem;
  };
  const look = async (): Promise<void> => {
    try {
      const next = await read();
      warn(expiryOf(next, clock));
      if (next.cert === current.cert && next.key === current.key && next.ca === current.ca) return;
      current = next;
      log.info({}, "diagnostics: new certificates are in use");
      onChange(next);
    } catch (error) {
      warn(`${messageOf(error)}; the last ones stay in use`);
    }
  };
  const lookLater = (): void => {
    cancel = clock.after(LOOK_EVERY_MS, () => void look().then(lookLater));
  };
  warn(expiryOf(current, clock));
  lookLater();
  return { ...current, [Symbol.dispose]: () => cancel() };
}

/** Returns when the first certificate of an identity ends. */
export function endOf({ cert, ca }: Identity): Date {
  const facts = [cert, ca].flatMap((pem) => (pem === undefined ? [] : x509.read(pem)));
  return new Date(Math.min(...facts.map(({ notAfter }) => notAfter.getTime())));
}

function createSource({ certDir, clientCa, clock }: Followed): () => Promise<Identity> {
  const own = certDir === undefined ? createSelfSigned(clock) : async () => credentialsIn(certDir);
  return async () => ({ ...(await own()), ca: clientCa === undefined ? undefined : authoritiesIn(clientCa) });
}

function credentialsIn(folder: string): Credentials {
  const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const { text: cert, facts } = readCertificates(certFile);
  const key = readSmallFile(keyFile, MAX_PEM_BYTES);
  if (fits(facts[0].publicKey, key, keyFile)) return { cert, key };
  throw new Error(`${keyFile}: the private key does not belong to the certificate in ${certFile}`);
}

function authoritiesIn(file: string): string {
  const { text, facts } = readCertificates(file);
  if (facts.every(({ isAuthority }) => isAuthority)) return text;
  throw new Error(`${file}: a certificate in it is not that of an authority; write those that sign clients`);
}

function fits(publicKey: string, key: string, file: string): boolean {
  try {
    return x509.fits(publicKey, key);
  } catch {
    throw new Error(`${file}: it holds no private key that can be used; write an unencrypted one in PEM`);
  }
}

/** Returns the same certificate until two thirds of its time have passed. */
function createSelfSigned(clock: Clock): () => Promise<Credentials> {
  let current: (Credentials & { readonly renewAtMs: number }) | undefined;
  return async () => {
    const nowMs = Math.floor(clock.now().getTime() / SECOND) * SECOND;
    if (current !== undefined && nowMs < current.renewAtMs) return current;
    const { publicKey, privateKey: key } = await x509.newKeys();
    const cert = await x509.sign({
      subject: { commonName: hostname().slice(0, 64) },
      publicKey,
      // Clocks differ.
      notBefore: new Date(nowMs - DAY_MS),
      notAfter: new Date(nowMs + SELF_SIGNED_DAYS * DAY_MS),
      use: { dns: ["localhost", hostname()], ips: ["127.0.0.1", "::1"] },
      signer: { key },
    });
    current = { key, cert, renewAtMs: nowMs + (SELF_SIGNED_DAYS / 3) * 2 * DAY_MS };
    return current;
  };
}

function expiryOf({ cert }: Identity, clock: Clock): string | undefined {
  const [{ notAfter }] = x509.read(cert);
  return notAfter > clock.now() ? undefined : `the server certificate expired at ${notAfter.toISOString()}`;
}
