import { type Command, InvalidArgumentError } from "commander";
import { messageOf } from "../../shared/function/errors.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import { systemClock } from "../platform/clock.ts";
import { readEnvironment } from "../platform/config.ts";
import { print } from "../platform/terminal/print.ts";
import { type CloudAddress, LOOPBACK_ADDRESS, parseCloudAddress } from "../playground/sim/address.ts";
import { type ServedCluster, startCloud } from "../playground/sim/cloud.ts";
import type { ListenAddress } from "../worker/http-listener.ts";
import { startProbes } from "../worker/probes.ts";
import type { LogLevel } from "../worker/telemetry/log.ts";
import { healthAddressOption } from "./listen-options.ts";
import { readManagement } from "./management.ts";
import { logLevelOption, stopRequested } from "./options.ts";
import { openLog } from "./terminal/log.ts";

interface CloudCommandOptions {
  readonly kubeconfig?: readonly string[];
  readonly cloudAddress?: CloudAddress;
  readonly data?: string;
  readonly namespace?: readonly string[];
  readonly healthAddress?: ListenAddress;
  readonly logLevel?: LogLevel;
}

export function cloudCommand(command: Command): Command {
  return command
    .option(
      "--kubeconfig <files...>",
      "management clusters, one file for each (default: one, from KUBECONFIG, in-cluster files, ~/.kube/config)",
    )
    .option(
      "--cloud-address <address>",
      "IP address of this machine, or a DNS name that leads to it, for clients of the workload API servers (default: 127.0.0.1)",
      parseAddress,
    )
    .option(
      "--data <folder>",
      "keep the objects of the workload API servers there, so that their Nodes outlive this process",
    )
    .option("--namespace <namespaces...>", "serve these namespaces only (default or empty: all)")
    .addOption(healthAddressOption())
    .addOption(logLevelOption())
    .addHelpText(
      "after",
      "\nExamples:\n  capstan cloud --kubeconfig bootstrap.yaml target.yaml\n  capstan cloud --cloud-address 192.0.2.7 --data /var/lib/capstan-cloud",
    )
    .action(cloud);
}

function parseAddress(text: string): CloudAddress {
  try {
    return parseCloudAddress(text);
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}

async function cloud(options: CloudCommandOptions): Promise<void> {
  const stop = stopRequested();
  const log = openLog(options.logLevel ?? readEnvironment().CAPSTAN_LOG_LEVEL);
  await using stack = new AsyncDisposableStack();
  const { cloudAddress: address = LOOPBACK_ADDRESS, data, namespace = [] } = options;
  const given = namespace.filter((each) => each !== "");
  const namespaces = given.length === 0 ? undefined : given;
  const serves = await openClusters(options, log, stack);
  const running = stack.use(await startCloud({ serves, clock: systemClock, log, address, data, namespaces }));
  const { healthAddress } = options;
  if (healthAddress !== undefined)
    stack.use(await startProbes({ address: healthAddress, isReady: () => running.isReady(), log }));
  print(`cloud: serving ${serves.map(({ name }) => name).join(", ")} at ${address.announced}; Ctrl-C stops`);
  await stop;
}

/** Opens a connection to each management cluster. Throws for one that is named twice. */
async function openClusters(
  { kubeconfig }: CloudCommandOptions,
  log: Log,
  stack: AsyncDisposableStack,
): Promise<readonly (ServedCluster & { readonly name: string })[]> {
  const files = kubeconfig ?? [undefined];
  const opened = await Promise.all(
    files.map(async (file) => {
      const server = stack.use((await readManagement(file, { clock: systemClock, log }))());
      return { name: server.url.host, server, file };
    }),
  );
  for (const [at, { name, file }] of opened.entries()) {
    const first = opened.findIndex((other) => other.name === name);
    if (first < at) {
      const names = `${opened[first]?.file} and ${file}`;
      throw new Error(`--kubeconfig: ${names} lead to the same API server ${name}; name each only once`);
    }
  }
  return opened;
}
