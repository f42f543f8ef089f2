import { forbiddenField, invalidValue, required } from "../errors/cause.ts";
import type { Cause } from "../errors/status-error.ts";
import { isJsonObject, type JsonObject, memberOf, sameJson } from "../objects/json.ts";
import { type KubeObject, objectAt, textAt } from "../objects/kube-object.ts";
import type { Strategy } from "./registry.ts";

/*
 * ConfigMaps and Secrets: keys that may be names of files, at most 1 MiB in all, and immutable when they say
 * so.
 * Source: Kubernetes v1.34, pkg/apis/core/validation/validation.go
 */

const MAX_BYTES = 1024 * 1024;
const KEY_MAX_LENGTH = 253;

export const configMapStrategy: Strategy = {
  defaults(next) {
    return { ...next, ...withTexts(next, "data"), ...withTexts(next, "binaryData") };
  },
  validate(next, live) {
    const data = objectAt(next, "data");
    const binaryData = objectAt(next, "binaryData");
    const twice = Object.keys(data).filter((key) => Object.hasOwn(binaryData, key));
    const bytes = sizeOf(data, "utf8") + sizeOf(binaryData, "base64");
    return [
      ...immutabilityCauses(next, live, ["data", "binaryData"]),
      ...keyCauses("data", data),
      ...twice.map((key) => invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData")),
      ...keyCauses("binaryData", binaryData),
      ...(bytes > MAX_BYTES ? [tooLong("[]")] : []),
    ];
  },
};

export const secretStrategy: Strategy = {
  defaults(next) {
    const { stringData, data: _, ...rest } = next;
    const given = objectAt({ ...(stringData === undefined ? {} : { stringData }) }, "stringData");
    const encoded = Object.entries(given).map(([key, value]) => [
      key,
      Buffer.from(String(value ?? "")).toString("base64"),
    ]);
    const data = { ...withTexts(next, "data")["data"], ...Object.fromEntries(encoded) };
    const type = textAt(next, "type") || "Opaque";
    return { ...rest, ...(Object.keys(data).length === 0 ? {} : { data }), type } as KubeObject;
  },
  validate(next, live) {
    const type = textAt(next, "type");
    const data = objectAt(next, "data");
    return [
      ...(live && textAt(live, "type") !== type ? [invalidValue("type", type, "field is immutable")] : []),
      ...immutabilityCauses(next, live, ["data"]),
      ...keyCauses("data", data),
      ...(sizeOf(data, "base64") > MAX_BYTES ? [tooLong("data")] : []),
      ...typeCauses(next, type, data),
    ];
  },
};

/** A null is an empty text. */
function withTexts(of: KubeObject, member: string): Readonly<Record<string, JsonObject>> {
  if (of[member] === undefined) return {};
  const texts = Object.entries(objectAt(of, member)).map(([key, value]) => [key, value ?? ""]);
  return { [member]: Object.fromEntries(texts) };
}

const SERVICE_ACCOUNT_NAME = "kubernetes.io/service-account.name";

/** An empty map counts as absent. */
const SSH_KEY = "ssh-privatekey";

/** Keys that Secrets of a type must hold. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": [SSH_KEY],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};
const JSON_TYPES = ["kubernetes.io/dockercfg", "kubernetes.io/dockerconfigjson"];

function typeCauses({ metadata }: KubeObject, type: string, data: JsonObject): Cause[] {
  if (type === "kubernetes.io/service-account-token") {
    const isNamed = Boolean(metadata.annotations?.[SERVICE_ACCOUNT_NAME]);
    return isNamed ? [] : [required(`metadata.annotations[${SERVICE_ACCOUNT_NAME}]`)];
  }
  if (type === "kubernetes.io/basic-auth") {
    const keys = ["username", "password"];
    return keys.some((key) => Object.hasOwn(data, key)) ? [] : keys.map((key) => required(`data[${key}]`));
  }
  const keys = memberOf(REQUIRED_KEYS, type) ?? [];
  const missing = keys.filter((key) =>
    key === SSH_KEY ? textAt(data, key) === "" : !Object.hasOwn(data, key),
  );
  if (missing.length > 0 || !JSON_TYPES.includes(type)) return missing.map((key) => required(`data[${key}]`));
  return keys
    .filter((key) => !holdsJsonObject(textAt(data, key)))
    .map((key) => invalidValue(`data[${key}]`, "<secret contents redacted>", "is not a JSON object"));
}

function holdsJsonObject(base64: string): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(base64, "base64").toString());
    return value === null || isJsonObject(value);
  } catch {
    return false;
  }
}

function keyCauses(member: string, data: JsonObject): Cause[] {
  return Object.keys(data)
    .filter((key) => !/^[-._a-zA-Z0-9]+$/.test(key) || key.length > KEY_MAX_LENGTH || /^\.$|^\.\./.test(key))
    .map((key) =>
      invalidValue(
        `${member}[${key}]`,
        key,
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ),
    );
}

function immutabilityCauses(
  next: KubeObject,
  live: KubeObject | undefined,
  members: readonly string[],
): Cause[] {
  if (live?.["immutable"] !== true) return [];
  const changed = members.filter((member) => !sameJson(next[member], live[member]));
  const fields = [...(next["immutable"] === true ? [] : ["immutable"]), ...changed];
  return fields.map((field) => forbiddenField(field, "field is immutable when `immutable` is set"));
}

function sizeOf(data: JsonObject, encoding: "utf8" | "base64"): number {
  return Object.values(data).reduce(
    (sum: number, value) => sum + Buffer.byteLength(String(value), encoding),
    0,
  );
}

function tooLong(field: string): Cause {
  return { reason: "FieldValueTooLong", message: `Too long: may not be more than ${MAX_BYTES} bytes`, field };
}
