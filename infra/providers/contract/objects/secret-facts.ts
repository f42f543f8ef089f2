import type { Secret } from "../../../../shared/api/core.ts";
import type { KubeconfigFacts, SecretFacts } from "../../../../shared/contract/rules/objects/subject.ts";
import { usedEntries } from "../../../platform/kube/kubeconfig-entries.ts";
import { x509 } from "../../../platform/pki/x509.ts";

/** The most keys of a Secret: the API server accepts 1 MiB. */
const MAX_KEYS = 100;
const MAX_VALUE_BYTES = 1024 * 1024;
const MAX_KUBECONFIG_BYTES = 256 * 1024;
const BOOT_MARK = "/run/cluster-api/bootstrap-success.complete";

/** Returns all that rules may know of a Secret. Never throws; no value is in the result. */
export function secretFacts(secret: Secret): SecretFacts {
  const { name, namespace, labels, ownerReferences } = secret.metadata;
  const keys = Object.entries(secret.data ?? {}).slice(0, MAX_KEYS);
  const value = decoded(secret.data?.["value"]);
  return {
    metadata: { name, namespace, labels, ownerReferences },
    type: secret.type,
    keys: new Map(keys.map(([key, data]) => [key, data === "" ? "empty" : "filled"])),
    bootMark: bootMarkIn(value),
    kubeconfig: kubeconfigFacts(value),
  };
}

function decoded(data: unknown): Buffer | undefined {
  if (typeof data !== "string" || data.length > MAX_VALUE_BYTES * 1.4) return undefined;
  return Buffer.from(data, "base64");
}

function bootMarkIn(value: Buffer | undefined): SecretFacts["bootMark"] {
  if (value === undefined) return "not text";
  if (value.includes(BOOT_MARK)) return "there";
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(value);
    // Ignition holds its files in base64 or percent encoding; gzip is not UTF-8.
    const isEncoded =
      text.includes("\u0000") ||
      /^\s*\{\s*"ignition"/.test(text) ||
      /encoding:\s*\S*(?:b64|base64|gz)/i.test(text);
    return isEncoded ? "not text" : "missing";
  } catch {
    return "not text";
  }
}

const UNUSABLE: KubeconfigFacts = { isUsable: false, client: "other" };

function kubeconfigFacts(value: Buffer | undefined): KubeconfigFacts {
  if (value === undefined || value.length === 0 || value.length > MAX_KUBECONFIG_BYTES) return UNUSABLE;
  try {
    const { cluster, user } = usedEntries(value.toString("utf8"), "key value");
    const { server } = cluster;
    if (typeof server !== "string" || URL.parse(server) === null) return UNUSABLE;
    const certificate = user["client-certificate-data"];
    if (typeof certificate !== "string" || certificate === "") return { isUsable: true, client: "other" };
    return { isUsable: true, ...certificateFacts(certificate) };
  } catch {
    return UNUSABLE;
  }
}

/** Reads a certificate; of a chain, the earliest end. */
function certificateFacts(data: string): Pick<KubeconfigFacts, "client" | "validity"> {
  try {
    const [first, ...more] = x509.read(Buffer.from(data, "base64").toString("latin1"));
    const ends = [first, ...more].map(({ notAfter }) => notAfter.getTime());
    const validity = { notBefore: first.notBefore, notAfter: new Date(Math.min(...ends)) };
    return { client: "certificate", validity };
  } catch {
    return { client: "unreadable certificate" };
  }
}
