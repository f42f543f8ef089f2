import { TerminalError } from "../../shared/runtime/errors.ts";
import { checkServer, type ServerAccess } from "./server-access.ts";

/**
 * Access through a plugin of the user's own kubeconfig (exec, auth-provider, OIDC). The only module that loads
 * @kubernetes/client-node (KC-01): 300 ms and 90 MB, hence never for workload kubeconfigs and never unless needed.
 * The credentials are taken once; after a 401 the caller loads again.
 */
export async function accessByPlugin(file: string): Promise<ServerAccess> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  config.loadFromFile(file);
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new TerminalError("InvalidKubeconfig", `${file}: field current-context names no cluster`);
  if (cluster.proxyUrl !== undefined) {
    throw new TerminalError(
      "InvalidKubeconfig",
      `${file}: field proxy-url is not supported; use a direct address`,
    );
  }
  const server = new URL(cluster.server);
  checkServer(server, undefined);
  const options: Parameters<typeof config.applyToHTTPSOptions>[0] = {};
  await config.applyToHTTPSOptions(options);
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
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return Buffer.isBuffer(value) ? value.toString("utf8") : undefined;
}
