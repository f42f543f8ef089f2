import type { YamlBounds, YamlDocument } from "../../../platform/yaml/read-yaml.ts";
import { badRequest, StatusError } from "../errors/status-error.ts";
import { isJsonObject, type JsonObject } from "../objects/json.ts";
import { type ParsedJson, parseJson } from "../objects/strict-json.ts";

/** How the client wants an answer shown. */
export interface Representation {
  readonly shape: "full" | "table" | "metadata" | "list metadata";
  /** The content of `rows[].object` in tables; `checkIncluded` refuses others than `Metadata`, `Object`, `None`. */
  readonly includeObject: string;
  readonly encoding: "json" | "yaml";
}

interface Choice {
  readonly media: string;
  readonly parameters: { readonly [name: string]: string | undefined };
}

const SHAPES: ReadonlyMap<string, Representation["shape"]> = new Map([
  ["Table", "table"],
  ["PartialObjectMetadata", "metadata"],
  ["PartialObjectMetadataList", "list metadata"],
]);

const JSON_MEDIA = new Set(["application/json", "*/*", "application/*"]);

/** The first entry of an Accept header that can be served. Throws StatusError 406 when there is none. */
export function negotiate(accept: string, includeObject: string | null): Representation {
  const include = includeObject || "Metadata";
  if (accept === "") return { shape: "full", includeObject: include, encoding: "json" };
  for (const choice of accept.split(",").map(parseChoice)) {
    const encoding = encodingOf(choice.media);
    const shape = shapeOf(choice);
    if (encoding && shape) return { shape, includeObject: include, encoding };
  }
  const message = "only the following media types are accepted: application/json, application/yaml";
  throw new StatusError(406, "NotAcceptable", message);
}

/** Throws StatusError 400 for a table with unknown contents; it comes after what can be wrong with the request itself. */
export function checkIncluded({ shape, includeObject }: Representation): void {
  if (shape !== "table" || ["Metadata", "Object", "None"].includes(includeObject)) return;
  const problem = `Invalid value: "${includeObject}": must be 'Metadata', 'Object', 'None', or empty`;
  throw badRequest(`Unable to convert to Table as requested: includeObject: ${problem}`);
}

function encodingOf(media: string): Representation["encoding"] | undefined {
  if (JSON_MEDIA.has(media)) return "json";
  return media === "application/yaml" ? "yaml" : undefined;
}

function shapeOf({ parameters }: Choice): Representation["shape"] | undefined {
  const { as } = parameters;
  if (as === undefined) return "full";
  return fitsVersion(parameters) ? SHAPES.get(as) : undefined;
}

/** Tables and metadata exist as meta.k8s.io/v1 only; kubectl also offers v1beta1. */
function fitsVersion(parameters: Choice["parameters"]): boolean {
  const { g = "meta.k8s.io", v = "v1" } = parameters;
  return g === "meta.k8s.io" && v === "v1";
}

function parseChoice(text: string): Choice {
  const [media = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters: Record<string, string> = Object.create(null);
  for (const part of rest) {
    const [name = "", value = ""] = part.split("=", 2);
    parameters[name] = value;
  }
  return { media: media.toLowerCase(), parameters };
}

/** A decoded request body. */
interface Decoded {
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

/** JSON is YAML too, and much faster to read as what it is; only complaints name lines then, and numbers that are too large are texts. */
async function fromJsonAsYaml(text: string): Promise<Decoded> {
  try {
    const decoded = fromJson(text);
    if (decoded.duplicates.length === 0) return decoded;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
  return fromYaml(text);
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

/**
 * A body may be long, but not dense: the largest CRDs have 30,000 lines. Differs: the API server bounds bytes only, and
 * aliases by how much larger they make the text.
 */
const BOUNDS: YamlBounds = {
  maxBytes: 3 * 1024 * 1024,
  maxDocuments: 1,
  maxMarks: 50_000,
  maxAliases: 1_000,
};

async function fromYaml(text: string): Promise<Decoded> {
  const { value, duplicates } = await documentIn(text);
  // Through JSON, so that the checks on member names apply (S-50).
  return {
    ...fromJson(JSON.stringify(value ?? null)),
    duplicates: duplicates.map(
      ({ key, line }) => `line ${line}: key ${JSON.stringify(key)} already set in map`,
    ),
  };
}

async function documentIn(text: string): Promise<YamlDocument> {
  const { readYaml, YamlError } = await import("../../../platform/yaml/read-yaml.ts");
  try {
    const [document] = readYaml(text, BOUNDS);
    if (document !== undefined) return document;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw badRequest(`error decoding YAML: ${error.message}`);
  }
  throw badRequest("expected one YAML document");
}
