import { StatusError } from "./status-error.ts";

/** How the client wants an answer shown. */
export interface Representation {
  readonly shape: "full" | "table" | "metadata" | "list metadata";
  /** For tables: what `rows[].object` holds. */
  readonly includeObject: "Metadata" | "Object" | "None";
  readonly encoding: "json" | "yaml";
}

interface Choice {
  readonly media: string;
  readonly parameters: { readonly [name: string]: string | undefined };
}

const SHAPES: Readonly<Record<string, Representation["shape"]>> = {
  Table: "table",
  PartialObjectMetadata: "metadata",
  PartialObjectMetadataList: "list metadata",
};

const JSON_MEDIA = new Set(["application/json", "*/*", "application/*"]);

/** The first entry of an Accept header that can be served. Throws StatusError 406 when there is none. */
export function negotiate(accept: string, includeObject: string | null): Representation {
  const include = includeObject === "Object" || includeObject === "None" ? includeObject : "Metadata";
  if (accept === "") return { shape: "full", includeObject: include, encoding: "json" };
  for (const choice of accept.split(",").map(parseChoice)) {
    const encoding = encodingOf(choice.media);
    const shape = shapeOf(choice);
    if (encoding && shape) return { shape, includeObject: include, encoding };
  }
  const message = "only the following media types are accepted: application/json, application/yaml";
  throw new StatusError(406, "NotAcceptable", message);
}

function encodingOf(media: string): Representation["encoding"] | undefined {
  if (JSON_MEDIA.has(media)) return "json";
  return media === "application/yaml" ? "yaml" : undefined;
}

function shapeOf({ parameters }: Choice): Representation["shape"] | undefined {
  const { as } = parameters;
  if (as === undefined) return "full";
  return fitsVersion(parameters) ? SHAPES[as] : undefined;
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
