import { hostname } from "node:os";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Console } from "../../console/console.ts";
import { createExplain } from "../../console/sources/explain-source.ts";
import { createRelaySource } from "../../console/sources/relay-source.ts";
import type { LivingProcess } from "../../heartbeats/heartbeats.ts";
import { packageVersion } from "../../package-version.ts";
import { partReasons } from "../../worker/health.ts";
import type { ListenAddress } from "../../worker/http-listener.ts";
import type { Running } from "../compose.ts";
import { openLog } from "../terminal/log.ts";
import type { ConsoleFlags } from "./console-options.ts";
import { actionPorts, serveConsole } from "./serve-console.ts";

const BEAT_MS = 10 * SECOND;

/** Serves the console of `up`, with the parts of this process. */
export function serveUpConsole(
  running: Running,
  flags: ConsoleFlags,
  address: ListenAddress,
): Promise<Console> {
  const { server, store, functions, queue, history, deadLetters: letters, clock } = running;
  // Which person did what is logged at any level of the other parts (S-42).
  const log = openLog("info");
  const ports = {
    queue,
    letters,
    explain: createExplain({ store, functions, history, letters, clock }),
    relay: createRelaySource({ processes: async () => [ownProcess(running)], store, clock }),
    ...actionPorts({ queue, letters, clock, log }, flags),
  };
  return serveConsole(
    { store, functions, clock, log, reviewer: server.as("console"), ports },
    flags,
    address,
  );
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
