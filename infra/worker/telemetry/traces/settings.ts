import { fileURLToPath } from "node:url";
import type { TraceVariables } from "../../../platform/config.ts";
import { isLoopback, type ServerAccess } from "../../../platform/kube/server-access.ts";
import { readCertificates } from "../../../platform/pki/read-certificates.ts";

/** Where spans go, and which. */
export interface TraceSettings {
  readonly to:
    | {
        readonly type: "collector";
        readonly access: ServerAccess;
        readonly headers: Readonly<Record<string, string>>;
      }
    | { readonly type: "file"; readonly file: string };
  /** The share of the traces that are sampled, 0 to 1. */
  readonly ratio: number;
}

const DEFAULT_RATIO = 0.01;
const MAX_HEADERS_CHARS = 16 * 1024;
const HEADER = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=([\t -~]*)$/;

/**
 * Returns the settings that OpenTelemetry's variables ask for; undefined without an endpoint, and when the SDK or the
 * sampler is off. Throws with the name of the variable that is wrong, never with headers or the endpoint: both may hold
 * credentials.
 */
export function traceSettings(variables: TraceVariables): TraceSettings | undefined {
  const endpoint = variables.OTEL_EXPORTER_OTLP_ENDPOINT ?? "";
  if (endpoint === "" || variables.OTEL_SDK_DISABLED?.toLowerCase() === "true") return undefined;
  const ratio = ratioOf(variables);
  if (ratio === undefined) return undefined;
  const protocol = variables.OTEL_EXPORTER_OTLP_PROTOCOL ?? "";
  if (protocol !== "" && protocol !== "http/json") {
    throw new Error(
      "OTEL_EXPORTER_OTLP_PROTOCOL: spans are sent as http/json only; remove it, and name the HTTP port of the collector (4318)",
    );
  }
  return { to: destinationOf(endpoint, variables), ratio };
}

function destinationOf(endpoint: string, variables: TraceVariables): TraceSettings["to"] {
  const problem = (text: string) => new Error(`OTEL_EXPORTER_OTLP_ENDPOINT: ${text}`);
  const server = URL.parse(endpoint);
  if (server?.protocol === "file:") {
    if (server.host !== "") throw problem("a file is named as file:///path");
    return { type: "file", file: fileURLToPath(server) };
  }
  if (server === null || !/^https?:$/.test(server.protocol) || server.search !== "" || server.hash !== "") {
    throw problem("write the base URL of a collector, such as http://127.0.0.1:4318, or of a file");
  }
  if (server.username !== "" || server.password !== "") {
    throw problem("it holds a user or password; write them into OTEL_EXPORTER_OTLP_HEADERS");
  }
  const headers = headersOf(variables.OTEL_EXPORTER_OTLP_HEADERS ?? "");
  if (server.protocol === "http:" && !isLoopback(server) && Object.keys(headers).length > 0) {
    throw problem("headers are sent by https only; write https:// or remove OTEL_EXPORTER_OTLP_HEADERS");
  }
  const file = variables.OTEL_EXPORTER_OTLP_CERTIFICATE ?? "";
  const ca = file === "" ? undefined : readCertificates(file).text;
  return { type: "collector", access: { server, ca }, headers };
}

/** Parses `name=value,name=value`; values are percent-encoded. */
function headersOf(text: string): Readonly<Record<string, string>> {
  if (text.trim() === "") return {};
  const problem = new Error(
    "OTEL_EXPORTER_OTLP_HEADERS: write NAME=VALUE,NAME=VALUE, with percent-encoded values",
  );
  if (text.length > MAX_HEADERS_CHARS) throw problem;
  return Object.fromEntries(
    text.split(",").map((pair) => {
      const [, name = "", value = ""] = HEADER.exec(pair.trim()) ?? [];
      const decoded = decodedOf(value);
      if (name === "" || decoded === undefined || !/^[\t -~]*$/.test(decoded)) throw problem;
      return [name, decoded];
    }),
  );
}

function decodedOf(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

/** Returns undefined when nothing is sampled: then nothing is recorded either. */
function ratioOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG }: TraceVariables): number | undefined {
  const sampler = (OTEL_TRACES_SAMPLER ?? "").replace(/^parentbased_/, "");
  switch (sampler) {
    case "always_on":
      return 1;
    case "always_off":
      return undefined;
    case "":
    case "traceidratio": {
      const text = OTEL_TRACES_SAMPLER_ARG ?? "";
      const ratio = text === "" ? DEFAULT_RATIO : Number(text);
      if (ratio >= 0 && ratio <= 1) return ratio;
      throw new Error("OTEL_TRACES_SAMPLER_ARG: write a number from 0 to 1, such as 0.01");
    }
    default:
      throw new Error("OTEL_TRACES_SAMPLER: write always_on, always_off or traceidratio");
  }
}
