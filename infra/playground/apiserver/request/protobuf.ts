import { badRequest, StatusError } from "../errors/status-error.ts";
import { type Json, type JsonObject, setMember } from "../objects/json.ts";
import { type FieldType, type Message, PROTOBUF_KINDS } from "./protobuf-kinds.ts";

/*
 * kubectl sends a few kinds as protobuf and does not fall back to JSON. A body is the magic "k8s\0" and a
 * runtime.Unknown { 1: TypeMeta { 1: apiVersion, 2: kind }, 2: raw }.
 */

const MAGIC = Buffer.from("k8s\0", "latin1");

/** The object in a protobuf body. Throws StatusError 415 for other kinds, 400 for broken bytes. */
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
  const message = PROTOBUF_KINDS[`${apiVersion}/${kind}`];
  if (!message) {
    const text = `${kind} in ${apiVersion} cannot be sent as protobuf here; accepted media types include: application/json, application/yaml`;
    throw new StatusError(415, "UnsupportedMediaType", text);
  }
  return { apiVersion, kind, ...decodeMessage(message, raw) };
}

interface WireField {
  readonly number: number;
  /** The value of a varint. */
  readonly value: number;
  /** The bytes of a length-delimited field. */
  readonly bytes: Buffer;
}

/** Lists and maps arrive item by item. Members that encoders write although they are empty are absent in JSON. */
function decodeMessage(message: Message, bytes: Buffer): JsonObject {
  const object: Record<string, Json> = {};
  for (const field of fieldsOf(bytes)) {
    const [name, type, repeated] = message[field.number] ?? [];
    if (name === undefined || type === undefined) continue;
    const value = decodeValue(type, field);
    if (type === "textMap" || type === "bytesMap") {
      object[name] ??= {};
      addEntry(object[name] as Record<string, Json>, field.bytes, type);
    } else if (repeated === "list" || type === "strings") {
      object[name] ??= [];
      (object[name] as Json[]).push(value);
    } else if (value !== "" && value !== null) object[name] = value;
  }
  return object;
}

function addEntry(map: Record<string, Json>, bytes: Buffer, type: "textMap" | "bytesMap"): void {
  const form: Message = { 1: ["key", "string"], 2: ["value", type === "textMap" ? "string" : "bytes"] };
  const { key = "", value = "" } = decodeMessage(form, bytes);
  setMember(map, String(key), value);
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
    case "intOrString":
      return decodeIntOrString(bytes);
    case "textMap":
    case "bytesMap":
      return null;
    default:
      return decodeMessage(type, bytes);
  }
}

function decodeIntOrString(bytes: Buffer): number | string {
  const form: Message = { 1: ["isText", "bool"], 2: ["number", "int"], 3: ["text", "string"] };
  const { isText = false, number = 0, text = "" } = decodeMessage(form, bytes);
  return isText === true ? String(text) : Number(number);
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
