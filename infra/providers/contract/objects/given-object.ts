import type { Secret } from "../../../../shared/api/core.ts";
import { type KubeObject, titleOf } from "../../../../shared/api/kinds.ts";
import type { KubeconfigFacts, SecretFacts } from "../../../../shared/contract/rules/objects/subject.ts";
import type { Place } from "../../../../shared/contract/rules/rule.ts";
import { WAIVE_ANNOTATION } from "../../../../shared/contract/waive-annotation.ts";
import { isObject, isOwner } from "../../../platform/kube/kind-shapes.ts";
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

/** An object and where it stands. */
export interface GivenObject {
  readonly object: KubeObject;
  readonly place: Place;
}

/** Bound of the owners of one object; real ones have three. */
const MAX_OWNERS = 100;
/** The longest name, as the API server has it; every finding repeats the names. */
const MAX_NAME_LENGTH = 253;

/**
 * Reads a document as an object; undefined without a name that an object can have. Members of metadata with a wrong type
 * are left out.
 */
export function givenObject(
  value: { readonly [member: string]: unknown },
  at: Omit<Place, "object"> = {},
): GivenObject | undefined {
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || !isObject(metadata)) return undefined;
  const { name, namespace, uid, labels, annotations, ownerReferences, finalizers, deletionTimestamp } =
    metadata;
  if (typeof name !== "string" || name === "") return undefined;
  if ([name, textOf(namespace) ?? "", kind].some(({ length }) => length > MAX_NAME_LENGTH)) return undefined;
  const owners = Array.isArray(ownerReferences) ? ownerReferences.slice(0, MAX_OWNERS).filter(isOwner) : [];
  const texts = {
    namespace: textOf(namespace),
    uid: textOf(uid),
    deletionTimestamp: textOf(deletionTimestamp),
    labels: textsOf(labels),
    annotations: textsOf(annotations),
    finalizers: Array.isArray(finalizers) ? finalizers.filter((each) => typeof each === "string") : undefined,
  };
  const object = { ...value, apiVersion, kind, metadata: { ...texts, name, ownerReferences: owners } };
  const place = {
    object: titleOf(kind, object.metadata),
    ...at,
    waive: texts.annotations?.[WAIVE_ANNOTATION],
  };
  return { object, place };
}

/** A Secret of a document may have its values as they are. */
export function secretOf(object: KubeObject): Secret {
  const { type, data, stringData } = object as {
    readonly type?: unknown;
    readonly data?: unknown;
    readonly stringData?: unknown;
  };
  const plain = Object.entries(textsOf(stringData) ?? {}).map(([key, text]) => [
    key,
    Buffer.from(text).toString("base64"),
  ]);
  const { apiVersion, kind, metadata } = object;
  return {
    apiVersion,
    kind,
    metadata,
    type: textOf(type),
    data: { ...textsOf(data), ...Object.fromEntries(plain) },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textsOf(value: unknown): { readonly [key: string]: string } | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
