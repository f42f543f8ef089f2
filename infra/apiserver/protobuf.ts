import { isJsonObject, type Json, type JsonObject } from "./schema.ts";
import { badRequest, StatusError } from "./status-error.ts";

/*
 * kubectl sends a few kinds as protobuf and does not fall back to JSON. A body is the magic "k8s\0" and a
 * runtime.Unknown { 1: TypeMeta { 1: apiVersion, 2: kind }, 2: raw }. Field numbers: generated.proto of
 * k8s.io/api and k8s.io/apimachinery v0.34.
 */

type FieldType = "string" | "bool" | "int" | "bytes" | "time" | "textMap" | "bytesMap" | "strings" | Message;

interface Message {
  readonly [number: number]:
    | readonly [name: string, type: FieldType]
    | readonly [name: string, type: Message, "list"];
}

const OWNER_REFERENCE: Message = {
  1: ["kind", "string"],
  3: ["name", "string"],
  4: ["uid", "string"],
  5: ["apiVersion", "string"],
  6: ["controller", "bool"],
  7: ["blockOwnerDeletion", "bool"],
};

const OBJECT_META: Message = {
  1: ["name", "string"],
  2: ["generateName", "string"],
  3: ["namespace", "string"],
  4: ["selfLink", "string"],
  5: ["uid", "string"],
  6: ["resourceVersion", "string"],
  7: ["generation", "int"],
  8: ["creationTimestamp", "time"],
  9: ["deletionTimestamp", "time"],
  10: ["deletionGracePeriodSeconds", "int"],
  11: ["labels", "textMap"],
  12: ["annotations", "textMap"],
  13: ["ownerReferences", OWNER_REFERENCE, "list"],
  14: ["finalizers", "strings"],
};

const RESOURCE_ATTRIBUTES: Message = {
  1: ["namespace", "string"],
  2: ["verb", "string"],
  3: ["group", "string"],
  4: ["version", "string"],
  5: ["resource", "string"],
  6: ["subresource", "string"],
  7: ["name", "string"],
};

const NON_RESOURCE_ATTRIBUTES: Message = { 1: ["path", "string"], 2: ["verb", "string"] };

const PRECONDITIONS: Message = { 1: ["uid", "string"], 2: ["resourceVersion", "string"] };

const DELETE_OPTIONS: Message = {
  1: ["gracePeriodSeconds", "int"],
  2: ["preconditions", PRECONDITIONS],
  3: ["orphanDependents", "bool"],
  4: ["propagationPolicy", "string"],
  5: ["dryRun", "strings"],
};

const KINDS: Readonly<Record<string, Message>> = {
  "v1/Namespace": { 1: ["metadata", OBJECT_META], 2: ["spec", { 1: ["finalizers", "strings"] }] },
  "v1/Secret": {
    1: ["metadata", OBJECT_META],
    2: ["data", "bytesMap"],
    3: ["type", "string"],
    4: ["stringData", "textMap"],
    5: ["immutable", "bool"],
  },
  "v1/ConfigMap": {
    1: ["metadata", OBJECT_META],
    2: ["data", "textMap"],
    3: ["binaryData", "bytesMap"],
    4: ["immutable", "bool"],
  },
  "v1/ServiceAccount": { 1: ["metadata", OBJECT_META] },
  "authorization.k8s.io/v1/SelfSubjectAccessReview": {
    1: ["metadata", OBJECT_META],
    2: [
      "spec",
      {
        1: ["resourceAttributes", RESOURCE_ATTRIBUTES],
        2: ["nonResourceAttributes", NON_RESOURCE_ATTRIBUTES],
      },
    ],
  },
  "policy/v1/Eviction": { 1: ["metadata", OBJECT_META], 2: ["deleteOptions", DELETE_OPTIONS] },
  "v1/DeleteOptions": DELETE_OPTIONS,
  "meta.k8s.io/v1/DeleteOptions": DELETE_OPTIONS,
};

const MAGIC = Buffer.from("k8s\0", "latin1");

/** The object in a protobuf body. Throws StatusError 415 for kinds not listed above, 400 for broken bytes. */
export function decodeProtobuf(body: Buffer): JsonObject {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC))
    throw badRequest("provided data does not appear to be a protobuf message");
  try {
    return decodeEnvelope(body.subarray(MAGIC.length));
  } catch (error) {
    if (error instanceof RangeError) throw badRequest("the protobuf body is cut off");
    throw error;
  }
}

function decodeEnvelope(envelope: Buffer): JsonObject {
  let typeMeta: JsonObject = {};
  let raw = Buffer.alloc(0);
  for (const field of fieldsOf(envelope)) {
    if (field.number === 1)
      typeMeta = decodeMessage({ 1: ["apiVersion", "string"], 2: ["kind", "string"] }, field.bytes);
    if (field.number === 2) raw = Buffer.from(field.bytes);
  }
  const { apiVersion = "", kind = "" } = typeMeta;
  const message = KINDS[`${apiVersion}/${kind}`];
  if (!message) {
    const text = `${kind} in ${apiVersion} cannot be sent as protobuf here; accepted media types include: application/json, application/yaml`;
    throw new StatusError(415, "UnsupportedMediaType", text);
  }
  return { apiVersion, kind, ...decodeMessage(message, raw) };
}

interface WireField {
  readonly number: number;
  /** Of a varint. */
  readonly value: number;
  /** Of a length-delimited field. */
  readonly bytes: Buffer;
}

function decodeMessage(message: Message, bytes: Buffer): JsonObject {
  const object: Record<string, Json> = {};
  for (const field of fieldsOf(bytes)) {
    const [name, type, repeated] = message[field.number] ?? [];
    if (name === undefined || type === undefined) continue;
    const value = decodeValue(type, field);
    const isList = repeated === "list" || type === "strings";
    const isMap = type === "textMap" || type === "bytesMap";
    // Members written by encoders although they are empty are absent in JSON.
    if (isList || isMap || (value !== "" && value !== null))
      object[name] = joined(object[name], value, { isList, isMap });
  }
  return object;
}

/** Lists and maps arrive item by item. */
function joined(
  present: Json | undefined,
  value: Json,
  { isList, isMap }: { isList: boolean; isMap: boolean },
): Json {
  if (isList) return [...(Array.isArray(present) ? present : []), value];
  if (isMap && isJsonObject(value)) return { ...(isJsonObject(present) ? present : {}), ...value };
  return value;
}

function decodeValue(type: FieldType, { value, bytes }: WireField): Json {
  switch (type) {
    case "string":
    case "strings":
      return bytes.toString("utf8");
    case "bool":
      return value !== 0;
    case "int":
      return value;
    case "bytes":
      return bytes.toString("base64");
    case "time":
      return decodeTime(bytes);
    case "textMap":
      return decodeEntry(bytes, "string");
    case "bytesMap":
      return decodeEntry(bytes, "bytes");
    default:
      return decodeMessage(type, bytes);
  }
}

function decodeEntry(bytes: Buffer, type: "string" | "bytes"): JsonObject {
  const { key = "", value = "" } = decodeMessage({ 1: ["key", "string"], 2: ["value", type] }, bytes);
  return Object.fromEntries([[String(key), value]]);
}

/** An absent time is an empty message. */
function decodeTime(bytes: Buffer): string | null {
  const { seconds = 0 } = decodeMessage({ 1: ["seconds", "int"] }, bytes);
  return seconds === 0 ? null : `${new Date(Number(seconds) * 1_000).toISOString().slice(0, 19)}Z`;
}

function* fieldsOf(bytes: Buffer): Generator<WireField> {
  let at = 0;
  const none = Buffer.alloc(0);
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes.readUInt8(at++);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      if (scale > Number.MAX_SAFE_INTEGER) throw new RangeError("varint is too long");
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError("field is cut off");
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    const wireType = tag % 8;
    if (wireType === 0) yield { number, value: varint(), bytes: none };
    else if (wireType === 2) yield { number, value: 0, bytes: take(varint()) };
    else if (wireType === 1) take(8);
    else if (wireType === 5) take(4);
    else throw badRequest(`unknown protobuf wire type ${wireType}`);
  }
}
