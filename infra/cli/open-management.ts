import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { ConversionClient } from "../platform/crds/crd.ts";
import type { Server, ServerOptions } from "../platform/kube/client.ts";
import { writePrivateFile } from "../platform/private-file.ts";
import type { ComposeOptions } from "./compose-options.ts";
import { type Connect, managementRate, readManagement } from "./management.ts";

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
    await installCrds(server.as("up"), clock, { converting: embedded, log });
    if (!isEmbedded && options.olderVersions === true) {
      const [{ startOwnWebhook }, { serveOlderVersions }] = await Promise.all([
        import("./own-webhook.ts"),
        import("../worker/webhook/definitions.ts"),
      ]);
      const webhook = await startOwnWebhook(server, { clock, log });
      if (webhook !== undefined) {
        starting.use(webhook);
        // Without a webhook no CRD may name one: an apply to an object that a client of v1beta1 has written would fail.
        starting.defer(async () => void (await serveOlderVersions(server.as("webhook"))));
      }
    }
  }
  return { server, connect, kubeconfigFile };
}

/** Starts it, and returns who converts its objects: the server itself. */
async function startEmbedded(
  options: ComposeOptions,
  starting: AsyncDisposableStack,
): Promise<ConversionClient | undefined> {
  const [{ startApiServer }, { convertsItself }] = await Promise.all([
    import("../playground/apiserver/entry.ts"),
    import("./converts-itself.ts"),
  ]);
  const { port, data } = options;
  const embedded = starting.use(
    await startApiServer({ name: "capstan", port, ...(data === undefined ? {} : { data }) }),
  );
  await writePrivateFile(options.writeKubeconfig, embedded.kubeconfig());
  return options.olderVersions === true ? convertsItself(embedded) : undefined;
}
