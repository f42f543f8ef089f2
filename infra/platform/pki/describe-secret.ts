import type { Secret } from "../../../shared/api/core.ts";
import { TerminalError } from "../../../shared/function/errors.ts";
import type {
  CertificateSummary,
  KubeconfigSummary,
  PairSummary,
  SecretSummary,
} from "../../../shared/function/secret-summary.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { accessOf } from "../kube/kubeconfig.ts";
import { usedEntries } from "../kube/kubeconfig-entries.ts";
import type { CertificateFacts, Pki } from "./pki.ts";

/** The most entries of a list that a user writes. */
const MAX_ENTRIES = 100;
/** A chain of ten certificates with RSA keys of 4,096 bits has 20 KiB, a key of 8,192 bits 6 KiB. */
const MAX_PEM_BYTES = 64 * 1024;
const MAX_KUBECONFIG_BYTES = 256 * 1024;

/** Returns what a step may know of a Secret. A defect of it is described, never thrown; no text quotes a value. */
export function describeSecret(secret: Secret, pki: Pki): SecretSummary {
  const { type, metadata } = secret;
  const data: { readonly [key: string]: string | undefined } = secret.data ?? {};
  const { "tls.crt": crt, "tls.key": key, value } = data;
  const isKubeconfig = value !== undefined && metadata.name.endsWith("-kubeconfig");
  return {
    metadata: publicMetadata(secret),
    ...(type === undefined ? {} : { type }),
    keys: Object.keys(data).sort(compareText).slice(0, MAX_ENTRIES),
    ...(crt === undefined && key === undefined ? {} : { pair: describePair(crt, key, pki) }),
    ...(isKubeconfig ? { kubeconfig: describeKubeconfig(value, pki) } : {}),
  };
}

function publicMetadata({ metadata }: Secret): SecretSummary["metadata"] {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp } = metadata;
  const { labels, ownerReferences } = metadata;
  return withoutUndefined({
    ...{ name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp },
    labels: labels && Object.fromEntries(Object.entries(labels).slice(0, MAX_ENTRIES)),
    ownerReferences: ownerReferences?.slice(0, MAX_ENTRIES),
  });
}

function describePair(crt: string | undefined, key: string | undefined, pki: Pki): PairSummary {
  const text = decoded(crt, MAX_PEM_BYTES);
  const privateKey = decoded(key, MAX_PEM_BYTES);
  const bare = text?.includes("-----BEGIN PUBLIC KEY-----") === true ? text : undefined;
  const facts = bare === undefined ? factsIn(text, pki) : undefined;
  const certificate = facts && withFingerprint(facts);
  const publicKey = bare ?? facts?.[0].publicKey;
  if (publicKey === undefined) {
    const wrong = "key tls.crt holds no certificate that can be read; write it in PEM";
    return { privateKey: key === undefined ? "missing" : "unusable", wrong };
  }
  return { ...(certificate && { certificate }), ...judgeKey(publicKey, privateKey, key, pki) };
}

function judgeKey(
  publicKey: string,
  privateKey: string | undefined,
  given: string | undefined,
  pki: Pki,
): Pick<PairSummary, "privateKey" | "wrong"> {
  if (given === undefined || given === "") return { privateKey: "missing" };
  const fits = attempt(() => pki.fits(publicKey, privateKey ?? ""));
  if (fits === undefined) {
    const wrong =
      "key tls.key holds no private key that can be used; write an unencrypted ECDSA key, or an RSA key of at most 8192 bits, in PEM";
    return { privateKey: "unusable", wrong };
  }
  if (fits) return { privateKey: "fits" };
  const wrong = "the private key in tls.key does not belong to tls.crt; write the key of that certificate";
  return { privateKey: "unusable", wrong };
}

function describeKubeconfig(value: string, pki: Pki): KubeconfigSummary {
  const text = decoded(value, MAX_KUBECONFIG_BYTES);
  if (text === undefined)
    return { privateKey: "missing", wrong: "key value is empty or larger than 256 KiB" };
  try {
    const used = usedEntries(text, "key value");
    const { server, ca, cert, key } = accessOf(used);
    const certificate = validityOf(factsIn(cert, pki));
    const authority = factsIn(ca, pki);
    return withoutUndefined({
      server: `${server.origin}${server.pathname.replace(/\/$/, "")}`,
      user: used.userName,
      authorityFingerprint: authority?.[0].fingerprint,
      certificate,
      ...judgeClientKey({ cert, key }, pki),
    });
  } catch (error) {
    const why = error instanceof TerminalError ? error.message : "key value is not a kubeconfig";
    return { privateKey: "missing", wrong: why };
  }
}

function judgeClientKey(
  { cert, key }: { readonly cert: string | undefined; readonly key: string | undefined },
  pki: Pki,
): Pick<KubeconfigSummary, "privateKey" | "wrong"> {
  if (cert === undefined) return { privateKey: "missing" };
  const facts = factsIn(cert, pki);
  if (facts === undefined) {
    return { privateKey: "unusable", wrong: "field client-certificate-data holds no certificate in PEM" };
  }
  if (key === undefined) return { privateKey: "missing", wrong: "field client-key-data is missing" };
  const fits = attempt(() => key.length <= MAX_PEM_BYTES && pki.fits(facts[0].publicKey, key));
  if (fits === true) return { privateKey: "fits" };
  const wrong = "field client-key-data holds no key that belongs to client-certificate-data";
  return { privateKey: "unusable", wrong };
}

type Facts = readonly [CertificateFacts, ...CertificateFacts[]];

function factsIn(text: string | undefined, pki: Pki): Facts | undefined {
  if (text === undefined || text.length > MAX_PEM_BYTES) return undefined;
  return attempt(() => pki.read(text));
}

function withFingerprint(facts: Facts): CertificateSummary {
  const [{ fingerprint, isAuthority, notBefore }] = facts;
  return { ...(validityOf(facts) ?? validity(notBefore, notBefore)), fingerprint, isAuthority };
}

function validityOf(facts: Facts | undefined) {
  if (facts === undefined) return undefined;
  const ends = facts.map(({ notAfter }) => notAfter.getTime());
  return validity(facts[0].notBefore, new Date(Math.min(...ends)));
}

function validity(notBefore: Date, notAfter: Date) {
  return { notBefore: notBefore.toISOString(), notAfter: notAfter.toISOString() };
}

/** Returns undefined for what is missing or too large. */
function decoded(value: string | undefined, maxBytes: number): string | undefined {
  if (value === undefined || value === "" || value.length > maxBytes * 1.4) return undefined;
  return Buffer.from(value, "base64").toString("utf8");
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function withoutUndefined<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
