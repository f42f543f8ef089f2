import { hostInUrl } from "../../../../shared/api/host-in-url.ts";
import { isJsonObject } from "../objects/json.ts";
import { textAt } from "../objects/kube-object.ts";
import { parseJson } from "../objects/strict-json.ts";

const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Returns why no answer came, in the real server's words; errors without a counterpart speak for themselves. */
export function connectionProblem(error: unknown): string {
  // One for every address of the name; the last one tried is as good as any.
  const cause = error instanceof AggregateError ? error.errors.at(-1) : error;
  const {
    code = "",
    address,
    port,
    hostname,
    message,
  } = cause as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
    hostname?: string;
  };
  if (code === "ECONNREFUSED")
    return `dial tcp ${hostInUrl(String(address))}:${port}: connect: connection refused`;
  if (code === "ENOTFOUND") return `dial tcp: lookup ${hostname}: no such host`;
  if (code === "ECONNRESET") return "EOF";
  if (UNKNOWN_AUTHORITY.has(code)) {
    return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  }
  return code.startsWith("CERT_") || code.startsWith("ERR_TLS_CERT_")
    ? `tls: failed to verify certificate: x509: ${message}`
    : message;
}

const REFUSALS: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

const TEXT_MAX_LENGTH = 2_048;

/** Returns the text of an error status, as client-go words it; a body of kind Status has its own text. */
export function refusalText(code: number, contentType: string, text: string): string {
  const said = contentType.startsWith("text/") ? text.trim().slice(0, TEXT_MAX_LENGTH) : "unknown";
  if (code === 403) return said;
  const generic =
    code >= 500
      ? `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`
      : `the server responded with the status code ${code} but did not return more information`;
  return messageOfStatus(text) ?? REFUSALS[code] ?? generic;
}

function messageOfStatus(text: string): string | undefined {
  try {
    const { value } = parseJson(text);
    return isJsonObject(value) && value["kind"] === "Status" ? textAt(value, "message") : undefined;
  } catch {
    return undefined;
  }
}
