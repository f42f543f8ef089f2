import { hostname } from "node:os";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Hints } from "../../../shared/runtime/hints.ts";
import type { Log } from "../../../shared/runtime/ports.ts";
import type { Samples } from "../../../shared/runtime/samples.ts";
import type { ConsoleData } from "../../console/console-options.ts";
import { startFleetIndex } from "../../console/fleet/fleet-index.ts";
import { readPorts } from "../../console/sources/read-ports.ts";
import { createRelaySource } from "../../console/sources/relay-source.ts";
import type { LivingProcess } from "../../heartbeats/heartbeats.ts";
import { packageVersion } from "../../package-version.ts";
import { systemRandom } from "../../random.ts";
import { partReasons } from "../../worker/health.ts";
import type { Running } from "../compose.ts";
import { readManagement } from "../management.ts";
import { actionPorts } from "./action-ports.ts";
import type { ConsoleFlags } from "./console-options.ts";

const BEAT_MS = 10 * SECOND;

interface UpData extends Pick<ConsoleFlags, "actions"> {
  readonly functionsDir?: string | undefined;
  readonly hints: Hints;
  readonly samples: Samples;
  readonly log: Log;
}

/** Opens the data of `up` for its console. */
export async function openUpData(
  running: Running,
  { functionsDir, hints, samples, log, ...flags }: UpData,
  opened: AsyncDisposableStack,
): Promise<ConsoleData> {
  const { store, functions, queue, deadLetters: letters, clock } = running;
  const fleet = opened.use(startFleetIndex({ store, queue, functions, hints, clock }));
  const connect = await readManagement(running.kubeconfigFile, { clock, log });
  const sources = {
    ...{ ...running, letters, fleet, samples, functionsDir, log, random: systemRandom },
    connect: (token: string | undefined) => connect({}, token),
  };
  const ports = {
    ...readPorts(sources, opened),
    relay: createRelaySource({ processes: async () => [ownProcess(running)], store, clock }),
    ...actionPorts({ queue, letters, clock, log }, flags),
  };
  return { ports, hints };
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
