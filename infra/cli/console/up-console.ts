import { hostname } from "node:os";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Console } from "../../console/console.ts";
import { createRelaySource, type SeenProcess } from "../../console/sources/relay-source.ts";
import { packageVersion } from "../../package-version.ts";
import type { ListenAddress } from "../../worker/http-listener.ts";
import type { Running } from "../compose.ts";
import type { ConsoleFlags } from "./console-options.ts";
import { serveConsole } from "./serve-console.ts";

const BEAT_MS = 10 * SECOND;

/** Serves the console of `up`, with the parts of this process. */
export function serveUpConsole(
  running: Running,
  flags: ConsoleFlags,
  address: ListenAddress,
): Promise<Console> {
  const { server, store, functions, clock, log } = running;
  const relay = createRelaySource({ processes: async () => [ownProcess(running)], store, clock });
  const reviewer = server.as("console");
  return serveConsole({ store, functions, clock, log, reviewer, ports: { relay } }, flags, address);
}

function ownProcess({ relay, worker, functions, clock }: Running): SeenProcess {
  const [relayed, worked] = [relay?.status(), worker?.status()];
  return {
    id: `${hostname()}-${process.pid}`,
    role: "up",
    version: packageVersion(),
    // As other processes give a sign of life, so that the answer changes no more often.
    at: new Date(Math.floor(clock.now().getTime() / BEAT_MS) * BEAT_MS).toISOString(),
    status: {
      ready: relayed?.ready !== false && worked?.draining !== true,
      functions: functions.map(({ spec }) => spec.name),
      worker: worked,
      relay: relayed,
    },
  };
}
