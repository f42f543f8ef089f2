import { badRequest, StatusError } from "../errors/status-error.ts";

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
