import { hostname } from "node:os";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Hints } from "../../../shared/runtime/hints.ts";
import type { Samples } from "../../../shared/runtime/samples.ts";
import { startFleetIndex } from "../../console/fleet/fleet-index.ts";
import { readPorts } from "../../console/sources/read-ports.ts";
import { createRelaySource } from "../../console/sources/relay-source.ts";
import type { LivingProcess } from "../../heartbeats/heartbeats.ts";
import { packageVersion } from "../../package-version.ts";
import { systemRandom } from "../../random.ts";
import { createMemorySamples } from "../../samples/memory.ts";
import { startSampling } from "../../samples/sample-queue.ts";
import { partReasons } from "../../worker/health.ts";
import type { ListenAddress } from "../../worker/http-listener.ts";
import type { Running } from "../compose.ts";
import { readManagement } from "../management.ts";
import { openLog } from "../terminal/log.ts";
import type { ConsoleFlags } from "./console-options.ts";
import { actionPorts, serveConsole } from "./serve-console.ts";

const BEAT_MS = 10 * SECOND;

interface UpConsoleFlags extends ConsoleFlags {
  readonly address: ListenAddress;
  readonly functionsDir?: string | undefined;
  /** Changes of the queue and the read model of this process. */
  readonly hints: Hints;
}

/** Serves the console of `up`, with the parts of this process. */
export async function serveUpConsole(
  running: Running,
  { address, hints: ownHints, functionsDir, ...flags }: UpConsoleFlags,
): Promise<AsyncDisposable> {
  const { server, store, functions, queue, deadLetters: letters, clock } = running;
  await using starting = new AsyncDisposableStack();
  // Which person did what is logged at any level of the other parts (S-42).
  const log = openLog("info");
  const { hints, samples } = await followed(running, ownHints, starting);
  const fleet = starting.use(startFleetIndex({ store, queue, functions, hints, clock }));
  const connect = await readManagement(running.kubeconfigFile, { clock, log });
  const sources = {
    ...{ ...running, letters, fleet, samples, functionsDir, log, random: systemRandom },
    connect: (token: string | undefined) => connect({}, token),
  };
  const ports = {
    ...readPorts(sources, starting),
    relay: createRelaySource({ processes: async () => [ownProcess(running)], store, clock }),
    ...actionPorts({ queue, letters, clock, log }, flags),
  };
  const parts = { store, functions, clock, log, reviewer: server.as("console"), ports, hints };
  starting.use(await serveConsole(parts, flags, address));
  return starting.move();
}

/** Where changes are announced, and how the functions stood: for a shared queue on its Redis. */
async function followed(
  { redis, queue, functions, clock, log }: Running,
  ownHints: Hints,
  starting: AsyncDisposableStack,
): Promise<{ readonly hints: Hints; readonly samples: Samples }> {
  if (redis === undefined) {
    const samples = starting.use(createMemorySamples(clock));
    const names = functions.map(({ spec }) => spec.name);
    starting.use(startSampling({ queue, functions: names, samples, clock, log }));
    return { hints: ownHints, samples };
  }
  const [{ openRedisHints }, { createRedisSamples }] = await Promise.all([
    import("../../hints/redis.ts"),
    import("../../samples/redis.ts"),
  ]);
  return {
    hints: starting.use(await openRedisHints({ ...redis, clock, log })),
    samples: starting.use(await createRedisSamples({ ...redis, clock, log })),
  };
}

function ownProcess({ relay, worker, functions, clock }: Running): LivingProcess {
  const reasons = partReasons(relay, worker);
  return {
    id: `${hostname()}-${process.pid}`,
    roles: ["up"],
    version: packageVersion(),
    // As other processes give a sign of life, so that the answer changes no more often.
    seenAt: new Date(Math.floor(clock.now().getTime() / BEAT_MS) * BEAT_MS),
    ready: reasons.length === 0,
    reasons,
    functions: functions.map(({ spec }) => spec.name),
    running: worker?.status().running,
    watches: relay?.status().loops,
  };
}
