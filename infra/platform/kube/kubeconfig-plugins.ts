import { once } from "node:events";
import { TerminalError } from "../../../shared/function/errors.ts";
import { redactText } from "../../../shared/redaction/redact-text.ts";
import { checkedProxy, checkServer, type ServerAccess } from "./server-access.ts";

/** A plugin that asks a person a question never answers here. */
const PLUGIN_TIMEOUT_MS = 30_000;
const MAX_MESSAGE = 512;

/**
 * Returns access that needs more than texts and files: exec plugin, auth-provider, OIDC. The only module that
 * loads @kubernetes/client-node (KC-01): 300 ms and 90 MB, hence never for workload kubeconfigs and never unless
 * needed. `renew` of the result asks the plugin again once its credentials have expired; after a 401 the caller loads
 * the kubeconfig again. Throws TerminalError `InvalidKubeconfig` that names file and field, never a credential that
 * a plugin printed.
 */
export async function accessByPlugin(file: string): Promise<ServerAccess> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  config.loadFromFile(file);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw invalid(`${file}: field current-context does not name a cluster; name one`);
  const server = new URL(cluster.server);
  checkServer(server, undefined);

  const ask = async (): Promise<ServerAccess> => {
    const options: Parameters<typeof config.applyToHTTPSOptions>[0] = {};
    await withinTime(config.applyToHTTPSOptions(options)).catch((error: unknown) => {
      const command: unknown = config.getCurrentUser()?.exec?.command;
      throw invalid(`${file}: ${whyRefused(command, error)}`);
    });
    const headers: { readonly [name: string]: unknown } = { ...options.headers };
    const authorization = headers["Authorization"] ?? headers["authorization"];
    return {
      server,
      ca: textOf(options.ca),
      cert: textOf(options.cert),
      key: textOf(options.key),
      token: typeof authorization === "string" ? authorization.replace(/^Bearer /, "") : undefined,
      tlsServerName: options.servername,
      insecure: cluster.skipTLSVerify,
      renew: ask,
      proxy: checkedProxy(cluster.proxyUrl || undefined),
    };
  };
  return ask();
}

async function withinTime(answer: Promise<void>): Promise<void> {
  const timeout = AbortSignal.timeout(PLUGIN_TIMEOUT_MS);
  const late = once(timeout, "abort").then(() => {
    throw new Error(`no answer within ${PLUGIN_TIMEOUT_MS / 1_000} s; a plugin must not ask a person`);
  });
  await Promise.race([answer, late]);
}

function whyRefused(command: unknown, error: unknown): string {
  const what = typeof command === "string" ? `field exec: ${command}` : "fields of the user";
  // The parser's message quotes the output, which may be a credential.
  if (error instanceof SyntaxError) return `${what} did not print an ExecCredential; correct the plugin`;
  const why = error instanceof Error ? error.message : "unknown";
  return `${what} failed: ${redactText(why, () => "…")
    .trim()
    .slice(0, MAX_MESSAGE)}`;
}

function invalid(message: string): TerminalError {
  return new TerminalError("InvalidKubeconfig", message);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return Buffer.isBuffer(value) ? value.toString("utf8") : undefined;
}
