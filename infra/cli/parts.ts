import type { Command } from "commander";
import { readEnvironment } from "../platform/config.ts";
import { print } from "../platform/terminal/print.ts";
import type { QueueFlags } from "../queue/backends/queue-source.ts";
import { giveBackMemory } from "../worker/give-back-memory.ts";
import { startProbes } from "../worker/probes.ts";
import { compose, type Running } from "./compose.ts";
import type { ComposeOptions } from "./compose-options.ts";
import { addListenOptions, type ListenOptions } from "./listen-options.ts";
import type { RelayScope } from "./open-relay.ts";
import {
  addServeOptions,
  kubeconfigSecretsOption,
  namespaceOption,
  printListeners,
  type ServeOptions,
  stopRequested,
} from "./options.ts";
import { addQueueOptions, sharedQueue } from "./queue-options.ts";
import { openLog } from "./terminal/log.ts";

export function workerCommand(command: Command): Command {
  addQueueOptions(
    addServeOptions(command),
    "shared with the relay: redis://HOST:PORT, or sqs://REGION?redis=redis://HOST:PORT",
  );
  return addListenOptions(command).action(async (options: ServeOptions & ListenOptions) => {
    await using running = await composePart("worker", options);
    print(
      `worker: serving ${running.functions.map(({ spec }) => spec.name).join(", ")}; Ctrl-C drains and stops`,
    );
    printListeners(running);
    await Promise.race([stopRequested(), running.ended]);
    const { running: runs = 0 } = running.worker?.status() ?? {};
    print(`worker: stopping; ${runs} ${runs === 1 ? "run is" : "runs are"} finishing, at most 25 s`);
  });
}

type Given = Omit<ComposeOptions, "roles" | "queue" | "installCrds" | "port" | "writeKubeconfig">;

interface PartOptions extends Given, QueueFlags {
  readonly installCrds?: boolean;
}

/**
 * Starts a relay or a worker in a process of its own, as `compose` does. Its kubelet has answers from the first moment,
 * while the part waits for its servers, to the last, when its runs have finished.
 */
async function composePart(part: "relay" | "worker", options: PartOptions): Promise<Running> {
  const log = openLog(options.logLevel ?? readEnvironment().CAPSTAN_LOG_LEVEL);
  const queue = sharedQueue(options, part, log);
  await using starting = new AsyncDisposableStack();
  let running: Running | undefined;
  const { healthAddress: address, installCrds = false } = options;
  if (address !== undefined) {
    const isReady = () => running?.isReady() ?? false;
    starting.use(await startProbes({ address, isReady, log }));
  }
  const rest = { roles: new Set([part]), queue, installCrds, port: 0, writeKubeconfig: "" };
  running = starting.use(await compose({ ...options, ...rest }));
  starting.use(giveBackMemory());
  const all = starting.move();
  return { ...running, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

interface RelayCommandOptions extends ServeOptions, ListenOptions, Omit<RelayScope, "namespaces"> {
  readonly namespace?: readonly string[];
  readonly installCrds: boolean;
}

export function relayCommand(command: Command): Command {
  addQueueOptions(
    addServeOptions(command),
    "shared with the workers: redis://HOST:PORT, or sqs://REGION?redis=redis://HOST:PORT",
  );
  return addListenOptions(command)
    .option("--install-crds", "install Capstan's CustomResourceDefinitions first", false)
    .addOption(namespaceOption())
    .addOption(kubeconfigSecretsOption())
    .option(
      "--watch-filter <value>",
      "reconcile only objects whose label cluster.x-k8s.io/watch-filter has this value (default: all)",
    )
    .option(
      "--leader-elect",
      "work only while this relay holds a Lease, so that others can stand by; two relays at once do no harm, but double the watches",
      false,
    )
    .option(
      "--leader-elect-namespace <namespace>",
      "namespace of the Leases (default: the Pod's; outside of a Pod kube-system)",
    )
    .option(
      "--workloads",
      "only connect to workload clusters, and share them with all relays that have this option (default: watch both management and workload clusters)",
    )
    .option("--no-workloads", "only watch the management cluster, beside relays with --workloads")
    .action(async (options: RelayCommandOptions) => {
      refuseElectedShare(options);
      await using running = await composePart("relay", {
        ...options,
        namespaces: options.namespace,
      });
      print(`relay: ${running.functions.length} functions, ${stateOf(running)}; Ctrl-C stops`);
      printListeners(running);
      await Promise.race([stopRequested(), running.ended]);
    });
}

/** Each relay that shares holds a Lease of its own: a standby would share nothing. */
function refuseElectedShare({ workloads, leaderElect }: RelayCommandOptions): void {
  if (workloads === true && leaderElect === true)
    throw new Error(
      "--workloads and --leader-elect exclude each other: relays with --workloads work at the same time; remove one of them",
    );
}

function stateOf({ relay }: Running): string {
  const { election, share } = relay?.status() ?? {};
  if (share !== undefined)
    return `${share.shard ?? "no shard"} of ${share.shards.length} that share the workload clusters`;
  const isStandby = election !== undefined && election.leader !== election.identity;
  return isStandby ? `standby: ${election.leader} leads` : "every watch has its first list";
}
