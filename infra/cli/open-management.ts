import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { ConversionClient } from "../platform/crds/crd.ts";
import type { Server, ServerOptions } from "../platform/kube/client.ts";
import { writePrivateFile } from "../platform/private-file.ts";
import type { ComposeOptions } from "./compose-options.ts";
import { type Connect, managementRate, readManagement } from "./management.ts";
import type { startOwnWebhook } from "./own-webhook.ts";

interface ManagementPorts extends Pick<ServerOptions, "noteRequest"> {
  readonly clock: Clock;
  readonly log: Log;
}

/** The management cluster of a process. */
interface Management {
  readonly server: Server;
  /** Opens another connection to it. */
  readonly connect: Connect;
  /** The kubeconfig that reaches it; absent: the first that is found (KC-02). */
  readonly kubeconfigFile: string | undefined;
}

/** Connects to the management cluster; starts it first, in this process, with the role `apiserver`. Installs CRDs. */
export async function openManagement(
  options: ComposeOptions,
  { clock, log, noteRequest }: ManagementPorts,
  starting: AsyncDisposableStack,
): Promise<Management> {
  const isEmbedded = options.roles.has("apiserver");
  const embedded = isEmbedded ? await startEmbedded(options, starting) : undefined;
  const kubeconfigFile = isEmbedded ? options.writeKubeconfig : options.kubeconfig;
  const sending = { clock, log, connect: options.connectManagement, noteRequest };
  const connect = await readManagement(kubeconfigFile, sending);
  const server = starting.use(connect(managementRate(options)));
  if (options.installCrds || isEmbedded) {
    const { installCrds } = await import("./install-crds.ts");
    const install = (converting?: ConversionClient) =>
      installCrds(server.as("up"), clock, { converting, log });
    if (isEmbedded || options.olderVersions !== true) await install(embedded);
    else if (!(await convertHere(server, { clock, log, install }, starting))) await install();
  }
  return { server, connect, kubeconfigFile };
}

/** Installs the CRDs with a webhook in this process, and serves v1beta2 alone when it ends; false: none is reachable. */
async function convertHere(
  server: Server,
  options: Parameters<typeof startOwnWebhook>[1],
  starting: AsyncDisposableStack,
): Promise<boolean> {
  const [own, { serveOlderVersions }] = await Promise.all([
    import("./own-webhook.ts"),
    import("../worker/webhook/definitions.ts"),
  ]);
  const webhook = await own.startOwnWebhook(server, options);
  if (webhook === undefined) return false;
  starting.use(webhook);
  // Without a webhook no CRD may name one: an apply to an object that a client of v1beta1 has written would fail.
  starting.defer(async () => void (await serveOlderVersions(server.as("webhook"))));
  return true;
}

/** Starts it, and returns who converts its objects: the server itself. */
async function startEmbedded(
  options: ComposeOptions,
  starting: AsyncDisposableStack,
): Promise<ConversionClient | undefined> {
  const [{ startApiServer }, { convertsItself }] = await Promise.all([
    import("../playground/apiserver/entry.ts"),
    import("./own-webhook.ts"),
  ]);
  const { port, data } = options;
  const embedded = starting.use(
    await startApiServer({ name: "capstan", port, ...(data === undefined ? {} : { data }) }),
  );
  await writePrivateFile(options.writeKubeconfig, embedded.kubeconfig());
  return options.olderVersions === true ? convertsItself(embedded) : undefined;
}
