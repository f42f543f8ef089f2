import type { Hints } from "../../../shared/runtime/queue/hints.ts";
import type { Samples } from "../../../shared/runtime/queue/samples.ts";
import type { QueueFlags } from "../../queue/backends/queue-source.ts";
import { startSampling } from "../../queue/samples/sample-queue.ts";
import type { ListenAddress } from "../../worker/http-listener.ts";
import type { Running } from "../compose.ts";
import { commandLineOf } from "../own-command.ts";
import { openLog } from "../terminal/log.ts";
import type { ConsoleFlags } from "./console-options.ts";
import { serveConsole } from "./serve-console.ts";

interface UpConsoleFlags extends ConsoleFlags, QueueFlags {
  readonly deadLetters?: string | undefined;
  readonly address: ListenAddress;
  readonly functionsDir?: string | undefined;
  /** Changes of the queue and the read model of this process. */
  readonly hints: Hints;
}

/**
 * Serves the console of `up`, with the parts of this process. Until the first request only the listener is there and,
 * of a queue in memory, its samples.
 */
export async function serveUpConsole(
  running: Running,
  { address, hints, functionsDir, ...flags }: UpConsoleFlags,
): Promise<AsyncDisposable> {
  const { server, backend, store, functions, clock } = running;
  await using starting = new AsyncDisposableStack();
  // Which person did what is logged at any level of the other parts (S-42).
  const log = openLog("info");
  const followed = backend.capabilities.isShared
    ? undefined
    : { hints, samples: await sample(running, starting) };
  const open = async (opened: AsyncDisposableStack) => {
    const { openUpData } = await import("./up-data.ts");
    return openUpData(running, { ...flags, followed, functionsDir, log }, opened);
  };
  const commandLine = commandLineOf({ ...flags, kubeconfig: running.kubeconfigFile });
  const parts = { store, functions, clock, log, reviewer: server.as("console"), open, commandLine };
  starting.use(await serveConsole(parts, flags, address));
  return starting.move();
}

/** A shared queue is sampled beside each relay. */
async function sample(
  { backend, queue, functions, clock, log }: Running,
  starting: AsyncDisposableStack,
): Promise<Samples> {
  const samples = starting.use(await backend.samples({ clock, log }));
  const names = functions.map(({ spec }) => spec.name);
  starting.use(startSampling({ queue, functions: names, samples, clock, log }));
  return samples;
}
