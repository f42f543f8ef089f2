import { type ObjectKey, workloadCluster } from "../../../shared/api/kinds.ts";
import { KubeError, messageOf, TerminalError } from "../../../shared/function/errors.ts";
import { truncate } from "../../../shared/rules/conditions/truncate.ts";
import { kubeconfigSecretOf } from "./workload-access.ts";

/** The cause why a workload server cannot be used, and the action that helps. */
interface Finding {
  readonly cause: string;
  /** The advice; absent where it is to check the address. */
  readonly action?: string;
}

const MAX_CHARACTERS = 400;

/**
 * Explains a problem of a workload server, by default that it is not connected: condition, cause, action. `host` is its
 * address without path. One cause has one text, so that a repeated failure changes no snapshot: texts of the server, times and own ports are left
 * out; they are in the log of the relay.
 */
export function connectionFailure(
  cluster: ObjectKey,
  host: string,
  error: unknown,
  problem = "is not connected",
): string {
  // An error about the Secret names Secret, field and next step itself.
  if (error instanceof TerminalError) return error.message;
  const { namespace, name } = kubeconfigSecretOf(cluster);
  const where = `kubeconfig Secret ${namespace}/${name}, key value`;
  const { cause, action = "check the server" } = findingOf(error, host);
  return `workload cluster ${workloadCluster(cluster)} ${problem}: ${cause}; ${action} in ${where}`;
}

/** Whether other credentials, or another CA, may help: the server refuses these, or is not the one that they are for. */
export function refusesCredentials(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  const code = codeOf(error.cause) ?? "";
  return error.status === 401 || code in CERTIFICATES || /^(EPROTO$|ERR_SSL_|ERR_OSSL_)/.test(code);
}

function findingOf(error: unknown, host: string): Finding {
  if (!(error instanceof KubeError)) return { cause: `${host}: ${plain(error)}` };
  if (error.status > 0) return findingOfStatus(error.status, host);
  if (error.reason === "NoAnswer") return findingOfSilence(error.cause, host);
  return LOCAL[error.reason]?.(host, error) ?? { cause: `${host}: ${plain(error)}` };
}

/** Failures that are found in an answer. */
const LOCAL: { readonly [reason: string]: (host: string, error: KubeError) => Finding } = {
  Undecodable: (host, error) => ({
    cause: `${host} answers, but not as a Kubernetes API server: ${plain(error).replace(` (from ${host})`, "")}`,
  }),
  VeryShortWatch: (host) => ({ cause: `${host} ends every watch at once` }),
  WentBack: (host) => ({ cause: `${host} is another server than before, or was restored` }),
  TooManyRequests: (host) => ({ cause: `${host} asks to wait` }),
};

function findingOfStatus(status: number, host: string): Finding {
  switch (status) {
    case 401:
      return { cause: `${host} refuses the credentials (401)`, action: "write valid credentials" };
    case 403:
      return {
        cause: `${host} does not allow listing and watching Nodes (403)`,
        action: "allow it for the user, or write credentials of another user,",
      };
    case 404:
      return { cause: `${host} does not serve Nodes (404)` };
    case 429:
    case 503:
      return { cause: `${host} is starting or overloaded (${status})`, action: "wait, or check the server" };
    default:
      return { cause: `${host} answers with status ${status}` };
  }
}

function findingOfSilence(cause: unknown, host: string): Finding {
  const code = codeOf(cause);
  if (code !== undefined) return findingOfCode(code, host);
  const text = plain(cause);
  // Watches, lists and probes have different limits.
  if (/^not within \d+ ms$/.test(text)) return { cause: `${host} does not answer in time` };
  return { cause: text === "" ? `${host} closes the connection without an answer` : `${host}: ${text}` };
}

function codeOf(cause: unknown): string | undefined {
  const code: unknown = typeof cause === "object" && cause !== null ? Reflect.get(cause, "code") : undefined;
  return typeof code === "string" ? code : undefined;
}

function findingOfCode(code: string, host: string): Finding {
  const known = CODES[code];
  if (known !== undefined) return { cause: `${host} ${known}` };
  const certificate = CERTIFICATES[code];
  if (certificate !== undefined) {
    return { cause: `the certificate of ${host} ${certificate.cause}`, action: certificate.action };
  }
  if (code.startsWith("ERR_OSSL_")) {
    return { cause: "a certificate or key is malformed", action: "write PEM, base64-encoded," };
  }
  if (code.startsWith("HPE_")) return { cause: `${host} does not speak HTTP` };
  if (code === "EPROTO" || code.startsWith("ERR_SSL_")) {
    // The text of OpenSSL contains a memory address, which differs in every process.
    return { cause: `${host} refuses TLS, or the client certificate`, action: "check server and user" };
  }
  return { cause: `${host} cannot be reached (${code.slice(0, MAX_CODE)})` };
}

const MAX_CODE = 50;

/** Codes of Node.js and of the system. */
const CODES: { readonly [code: string]: string } = {
  ECONNREFUSED: "refuses the connection",
  ECONNRESET: "closes the connection without an answer",
  EPIPE: "closes the connection without an answer",
  ETIMEDOUT: "does not answer",
  EHOSTUNREACH: "cannot be reached: no route",
  ENETUNREACH: "cannot be reached: no route",
  ENOTFOUND: "is not found in DNS",
  EAI_AGAIN: "cannot be looked up: DNS does not answer",
};

const WRONG_CA = {
  cause: "is not signed by the expected CA",
  action: "write the CA of this server into certificate-authority-data",
};
const CERTIFICATES: { readonly [code: string]: Required<Finding> } = {
  CERT_HAS_EXPIRED: { cause: "has expired", action: "renew it, or check the server" },
  CERT_NOT_YET_VALID: { cause: "is not valid yet", action: "check the clocks, or the server" },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    cause: "is for another name",
    action: "write the name that it is for into server or tls-server-name",
  },
  CERT_SIGNATURE_FAILURE: WRONG_CA,
  DEPTH_ZERO_SELF_SIGNED_CERT: WRONG_CA,
  SELF_SIGNED_CERT_IN_CHAIN: WRONG_CA,
  UNABLE_TO_GET_ISSUER_CERT: WRONG_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: WRONG_CA,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: WRONG_CA,
};

/** Returns the text of an error in one line. */
function plain(error: unknown): string {
  const text = messageOf(error);
  return truncate(text.replace(/[\p{Cc}\s]+/gu, " ").trim(), MAX_CHARACTERS);
}
