import { hostname } from "node:os";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Hints } from "../../../shared/runtime/hints.ts";
import { startFleetIndex } from "../../console/fleet/fleet-index.ts";
import { createExplain } from "../../console/sources/explain-source.ts";
import { createRelaySource } from "../../console/sources/relay-source.ts";
import { createRunsSource } from "../../console/sources/runs-source.ts";
import type { LivingProcess } from "../../heartbeats/heartbeats.ts";
import { packageVersion } from "../../package-version.ts";
import { partReasons } from "../../worker/health.ts";
import type { ListenAddress } from "../../worker/http-listener.ts";
import type { Running } from "../compose.ts";
import { openLog } from "../terminal/log.ts";
import type { ConsoleFlags } from "./console-options.ts";
import { actionPorts, serveConsole } from "./serve-console.ts";

const BEAT_MS = 10 * SECOND;

interface UpConsoleFlags extends ConsoleFlags {
  readonly address: ListenAddress;
  /** Changes of the read model of this process. */
  readonly hints: Hints;
}

/** Serves the console of `up`, with the parts of this process. */
export async function serveUpConsole(
  running: Running,
  { address, hints, ...flags }: UpConsoleFlags,
): Promise<AsyncDisposable> {
  const { server, store, functions, queue, history, runs, deadLetters: letters, clock } = running;
  await using starting = new AsyncDisposableStack();
  const fleet = starting.use(startFleetIndex({ store, queue, functions, hints, clock }));
  // Which person did what is logged at any level of the other parts (S-42).
  const log = openLog("info");
  const ports = {
    queue,
    letters,
    fleet,
    explain: createExplain({ store, functions, history, letters, clock }),
    ...(runs === undefined ? {} : { runs: createRunsSource({ store, functions, runs }) }),
    relay: createRelaySource({ processes: async () => [ownProcess(running)], store, clock }),
    ...actionPorts({ queue, letters, clock, log }, flags),
  };
  const parts = { store, functions, clock, log, reviewer: server.as("console"), ports };
  starting.use(await serveConsole(parts, flags, address));
  return starting.move();
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
