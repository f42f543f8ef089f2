import { readEnvironment } from "../platform/config.ts";
import type { QueueFlags } from "../queue/backends/queue-source.ts";
import { giveBackMemory } from "../worker/give-back-memory.ts";
import { startProbes } from "../worker/probes.ts";
import { compose, type Running } from "./compose.ts";
import type { ComposeOptions } from "./compose-options.ts";
import { sharedQueue } from "./queue-options.ts";
import { openLog } from "./terminal/log.ts";

type Given = Omit<ComposeOptions, "roles" | "queue" | "installCrds" | "port" | "writeKubeconfig">;

interface PartOptions extends Given, QueueFlags {
  readonly installCrds?: boolean;
}

/**
 * Starts a relay or a worker in a process of its own, as `compose` does. Its kubelet has answers from the first moment,
 * while the part waits for its servers, to the last, when its runs have finished.
 */
export async function composePart(part: "relay" | "worker", options: PartOptions): Promise<Running> {
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
