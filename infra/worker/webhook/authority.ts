import { Secret } from "../../../shared/api/core.ts";
import type { ObjectKey } from "../../../shared/api/kinds.ts";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { Clock, KubeClient } from "../../../shared/runtime/ports.ts";
import type { Credentials } from "../../platform/pki/pki.ts";
import { x509 } from "../../platform/pki/x509.ts";

const DAY_MS = 24 * 60 * MINUTE;
const AUTHORITY_DAYS = 3650;
const SERVING_DAYS = 90;

/** Names under which the API server reaches the webhook. */
interface ServingNames {
  readonly dns: readonly string[];
  readonly ips: readonly string[];
}

/** A certificate of a server until then, and the authority that signs it. */
export interface Serving extends Credentials {
  readonly ca: string;
  readonly renewAt: Date;
}

/**
 * Returns the authority in a Secret, which is made where it is missing: of two processes that make it, the second reads
 * that of the first. Throws when the Secret holds something else.
 */
export async function openAuthority(
  client: Pick<KubeClient, "get" | "create">,
  key: ObjectKey,
  clock: Clock,
): Promise<Credentials> {
  const found = await client.get(Secret, key);
  if (found !== undefined) return credentialsIn(found, key);
  const made = await newAuthority(clock);
  try {
    await client.create(Secret, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { ...key, labels: { "app.kubernetes.io/managed-by": "capstan" } },
      type: "kubernetes.io/tls",
      data: { "tls.crt": base64(made.cert), "tls.key": base64(made.key) },
    } as Secret);
    return made;
  } catch (error) {
    if (!(error instanceof KubeError) || error.reason !== "AlreadyExists") throw error;
    return openAuthority(client, key, clock);
  }
}

function credentialsIn({ data = {} }: Secret, { namespace, name }: ObjectKey): Credentials {
  const [cert, key] = ["tls.crt", "tls.key"].map((member) => {
    return Buffer.from(data[member] ?? "", "base64").toString();
  }) as [string, string];
  try {
    const [facts] = x509.read(cert);
    if (facts.isAuthority && x509.fits(facts.publicKey, key)) return { cert, key };
  } catch {
    // Said below, without a value.
  }
  throw new Error(
    `Secret ${namespace}/${name}: tls.crt and tls.key are not an authority and its key; delete it, and restart the webhook`,
  );
}

/** Returns a new authority, valid for ten years. */
export async function newAuthority(clock: Clock): Promise<Credentials> {
  const { publicKey, privateKey: key } = await x509.newKeys();
  const subject = { commonName: "capstan-webhook-ca" };
  const cert = await x509.sign({
    subject,
    publicKey,
    ...validFor(AUTHORITY_DAYS, clock),
    use: "authority",
    signer: { key },
  });
  return { key, cert };
}

/** Returns a serving certificate for 90 days; two thirds of them are its time. */
async function newServing(authority: Credentials, names: ServingNames, clock: Clock): Promise<Serving> {
  const { publicKey, privateKey: key } = await x509.newKeys();
  const valid = validFor(SERVING_DAYS, clock);
  const subject = { commonName: "capstan-webhook" };
  const cert = await x509.sign({ subject, publicKey, ...valid, use: names, signer: authority });
  const renewAt = new Date(valid.notAfter.getTime() - (SERVING_DAYS / 3) * DAY_MS);
  return { key, cert, ca: authority.cert, renewAt };
}

/** Clocks differ, so it begins a day ago. */
function validFor(days: number, clock: Clock): { readonly notBefore: Date; readonly notAfter: Date } {
  const nowMs = Math.floor(clock.now().getTime() / SECOND) * SECOND;
  return { notBefore: new Date(nowMs - DAY_MS), notAfter: new Date(nowMs + days * DAY_MS) };
}

export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** Returns the same certificate until two thirds of its time have passed. */
export function renewed(
  authority: () => Promise<Credentials>,
  names: ServingNames,
  clock: Clock,
): () => Promise<Serving> {
  let current: Serving | undefined;
  return async () => {
    if (current === undefined || clock.now() >= current.renewAt) {
      current = await newServing(await authority(), names, clock);
    }
    return current;
  };
}
