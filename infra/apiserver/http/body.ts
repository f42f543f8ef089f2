import type { DocumentOptions, ParseOptions, SchemaOptions, Tags } from "yaml";
import { isJsonObject, type JsonObject } from "../schema/schema.ts";
import { badRequest, StatusError } from "./status-error.ts";
import { type ParsedJson, parseJson } from "./strict-json.ts";

/** A decoded request body. */
export interface Decoded {
  readonly value: JsonObject;
  /** One complaint for every member given twice. */
  readonly duplicates: readonly string[];
}

const JSON_TYPES = new Set(["application/json", ""]);
const YAML_TYPES = new Set([
  "application/yaml",
  "text/yaml",
  "application/x-yaml",
  "application/apply-patch+yaml",
]);
const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

/**
 * The object in a request body, by content type: JSON, YAML, or protobuf for the kinds kubectl sends that way.
 * Throws StatusError 415 for other types, 400 for text that cannot be decoded.
 */
export async function decodeObject(contentType: string, body: Buffer): Promise<Decoded> {
  if (contentType === PROTOBUF_TYPE) {
    const { decodeProtobuf } = await import("./protobuf.ts");
    return { value: decodeProtobuf(body), duplicates: [] };
  }
  const text = body.toString("utf8");
  if (JSON_TYPES.has(contentType)) return fromJson(text);
  if (YAML_TYPES.has(contentType)) return looksLikeJson(text) ? fromJsonAsYaml(text) : fromYaml(text);
  throw unknownFormat(["application/json", "application/yaml"]);
}

export function unknownFormat(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`;
  return new StatusError(415, "UnsupportedMediaType", message);
}

function looksLikeJson(text: string): boolean {
  return /^\s*\{/.test(text);
}

function fromJson(text: string): Decoded {
  const { value, duplicates } = parseText(text);
  if (!isJsonObject(value)) {
    throw badRequest("couldn't get version/kind; json parse error: the body is not a JSON object");
  }
  return { value, duplicates: duplicates.map(duplicateField) };
}

/** The complaint about a member given twice in JSON. */
export function duplicateField(path: string): string {
  return `duplicate field "${path}"`;
}

/** JSON is YAML too, and much faster to read as what it is; only complaints name lines then. */
async function fromJsonAsYaml(text: string): Promise<Decoded> {
  const decoded = fromJson(text);
  return decoded.duplicates.length === 0 ? decoded : fromYaml(text);
}

function parseText(text: string): ParsedJson {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw badRequest(
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** YAML 1.1, where `y` and `no` are booleans; times of day and dates are texts, as for Kubernetes. */
const YAML_1_1: ParseOptions & DocumentOptions & SchemaOptions = {
  version: "1.1",
  customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !isTime(tag)),
};

function isTime({ tag, ...form }: Exclude<Tags[number], string>): boolean {
  return tag.endsWith(":timestamp") || ("format" in form && form.format === "TIME");
}

async function fromYaml(text: string): Promise<Decoded> {
  const { parseAllDocuments } = await import("yaml");
  const [document, ...more] = parseAllDocuments(text, YAML_1_1);
  if (!document || !("errors" in document) || more.length > 0) throw badRequest("expected one YAML document");
  const error = document.errors.find(({ code }) => code !== "DUPLICATE_KEY");
  if (error) throw badRequest(`error decoding YAML: ${error.message}`);
  const duplicates = document.errors.map(({ linePos, pos }) => {
    const [key = ""] = /^"[^"]*"|[^\s:,}]+/.exec(text.slice(pos[0])) ?? [];
    return `line ${linePos?.[0].line ?? 1}: key ${JSON.stringify(key.replaceAll('"', ""))} already set in map`;
  });
  // Through JSON, so that only JSON values remain and the checks on member names apply (S-50).
  return { ...fromJson(JSON.stringify(document.toJS({ maxAliasCount: 100 }))), duplicates };
}
