import { isIP } from "node:net";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { systemClock } from "../platform/clock.ts";
import { readEnvironment } from "../platform/config.ts";
import { hostOf } from "../platform/kube/server-access.ts";
import { readCertificates } from "../platform/pki/read-certificates.ts";
import { x509 } from "../platform/pki/x509.ts";
import { readSmallFile } from "../platform/read-small-file.ts";
import { rest } from "../platform/rest.ts";
import { print } from "../platform/terminal/print.ts";
import { collectTightly, giveBackMemory } from "../worker/give-back-memory.ts";
import type { ListenAddress } from "../worker/http-listener.ts";
import { startProbes } from "../worker/probes.ts";
import type { LogLevel } from "../worker/telemetry/log.ts";
import { openAuthority, renewed, type Serving } from "../worker/webhook/authority.ts";
import { serveOlderVersions } from "../worker/webhook/definitions.ts";
import type { serveMetrics } from "../worker/webhook/serve-metrics.ts";
import { startWebhook, type Webhook } from "../worker/webhook/webhook.ts";
import { addListenOptions, type ListenOptions, parseListenAddress } from "./listen-options.ts";
import { type Connect, readManagement } from "./management.ts";
import { kubeconfigOption, logLevelOption, stopRequested } from "./options.ts";
import { podNamespace } from "./pod.ts";
import { diagnosticsOf } from "./start-observing.ts";
import { openLog } from "./terminal/log.ts";

interface WebhookFlags extends ListenOptions {
  readonly kubeconfig?: string;
  readonly address: ListenAddress;
  readonly service: string;
  readonly url?: string;
  readonly certDir?: string;
  readonly undo?: boolean;
  readonly logLevel?: LogLevel;
}

const MAX_PEM_BYTES = 64 * 1024;
/** Endpoints of a Service lag behind the readiness of a Pod. */
const SERVE_ON_MS = 10_000;

export function webhookCommand(command: Command): Command {
  return addListenOptions(command)
    .addOption(kubeconfigOption())
    .addOption(
      new Option("--address <address>", "listen for the API server over TLS")
        .argParser(parseListenAddress)
        .default({ host: undefined, port: 9443 }, ":9443"),
    )
    .option(
      "--service <name>",
      "Service in the namespace of this Pod that the API server asks",
      "capstan-webhook",
    )
    .option(
      "--url <url>",
      "outside of the cluster, what the API server asks in place of a Service: https://HOST:PORT",
    )
    .option(
      "--cert-dir <folder>",
      "folder with tls.crt, tls.key and ca.crt, as of a Secret of cert-manager, read again when they change (default: an authority of its own, in the Secret capstan-webhook-ca)",
    )
    .option(
      "--undo",
      "when no webhook runs any more: let CustomResourceDefinitions name none and serve v1beta2 alone",
    )
    .addOption(logLevelOption())
    .addHelpText(
      "after",
      "\nOnce it answers, Capstan's CustomResourceDefinitions serve their older versions. Each write of their objects, also in v1beta2, then costs the API server a conversion.",
    )
    .action(serve);
}

async function serve(flags: WebhookFlags): Promise<void> {
  const stop = stopRequested();
  const log = openLog(flags.logLevel ?? readEnvironment().CAPSTAN_LOG_LEVEL);
  const connect = await readManagement(flags.kubeconfig, { clock: systemClock, log });
  if (flags.undo === true) return undo(connect);
  await using stack = new AsyncDisposableStack();
  let webhook: Webhook | undefined;
  let isStopping = false;
  const { healthAddress: address } = flags;
  if (address !== undefined) {
    const isReady = () => webhook?.isReady() === true && !isStopping;
    stack.use(await startProbes({ address, isReady, log }));
  }
  const diagnostics = diagnosticsOf(flags, connect, stack);
  const metrics = diagnostics && stack.use(await openMetrics({ ...diagnostics, clock: systemClock, log }));
  const client = stack.use(connect()).as("webhook");
  const namespace = await podNamespace();
  const service = { namespace, name: flags.service, path: "/convert", port: 443 };
  const dns = [`${flags.service}.${namespace}.svc`, `${flags.service}.${namespace}.svc.cluster.local`];
  const names = flags.url === undefined ? { dns, ips: [] } : namesOf(hostOf(new URL(flags.url)));
  const { certDir, url } = flags;
  webhook = stack.use(
    await startWebhook({
      client,
      address: flags.address,
      reach: () => (url === undefined ? { service } : { url: `${url.replace(/\/$/, "")}/convert` }),
      serving:
        certDir === undefined
          ? renewed(
              () => openAuthority(client, { namespace, name: "capstan-webhook-ca" }, systemClock),
              names,
              systemClock,
            )
          : async () => servingIn(certDir),
      notes: metrics?.notes,
      clock: systemClock,
      log,
    }),
  );
  stack.use(giveBackMemory(collectTightly));
  print(`webhook: converts at port ${webhook.port}; Ctrl-C stops`);
  await stop;
  isStopping = true;
  if (address !== undefined) await rest(SERVE_ON_MS, systemClock);
}

/** Loads the telemetry where it is shown. */
async function openMetrics(...options: Parameters<typeof serveMetrics>): ReturnType<typeof serveMetrics> {
  return (await import("../worker/webhook/serve-metrics.ts")).serveMetrics(...options);
}

async function undo(connect: Connect): Promise<void> {
  await using server = connect();
  const names = await serveOlderVersions(server.as("webhook"));
  print(names.map((name) => `${name}: serves no older version`).join("\n") || "webhook: nothing to undo");
}

function namesOf(host: string): { readonly dns: readonly string[]; readonly ips: readonly string[] } {
  return isIP(host) === 0 ? { dns: [host], ips: [] } : { dns: ["localhost"], ips: [host] };
}

/** Throws where the files do not fit together: the last certificate stays in use then. */
function servingIn(folder: string): Serving {
  const { text: cert, facts } = readCertificates(join(folder, "tls.crt"));
  const key = readSmallFile(join(folder, "tls.key"), MAX_PEM_BYTES);
  const { text: ca } = readCertificates(join(folder, "ca.crt"));
  if (x509.fits(facts[0].publicKey, key)) return { cert, key, ca, renewAt: facts[0].notAfter };
  throw new Error(`${folder}: tls.key does not belong to tls.crt`);
}
