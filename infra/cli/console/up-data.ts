import { hostname } from "node:os";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Log } from "../../../shared/runtime/ports.ts";
import type { Hints } from "../../../shared/runtime/queue/hints.ts";
import type { Samples } from "../../../shared/runtime/queue/samples.ts";
import type { ConsoleData } from "../../console/console-options.ts";
import { startFleetIndex } from "../../console/fleet/fleet-index.ts";
import { openPage } from "../../console/open-page.ts";
import { readPorts } from "../../console/sources/read-ports.ts";
import { createRelaySource } from "../../console/sources/relay-source.ts";
import { createUnserved } from "../../operate/explain/unserved.ts";
import { packageVersion } from "../../platform/package-version.ts";
import { systemRandom } from "../../platform/random.ts";
import type { LivingProcess } from "../../queue/heartbeats/heartbeats.ts";
import { partReasons } from "../../worker/health.ts";
import type { Running } from "../compose.ts";
import { readManagement } from "../management.ts";
import { actionPorts } from "./action-ports.ts";
import type { ConsoleFlags } from "./console-options.ts";

const BEAT_MS = 10 * SECOND;

/** Where changes are announced, and how the functions stood. */
interface Followed {
  readonly hints: Hints;
  readonly samples: Samples;
}

interface UpData extends Pick<ConsoleFlags, "actions"> {
  readonly functionsDir?: string | undefined;
  /** The queue that this process follows; undefined beside the shared queue. */
  readonly followed: Followed | undefined;
  readonly log: Log;
}

/** Opens the data of `up` for its console. */
export async function openUpData(
  running: Running,
  { functionsDir, followed, log, ...flags }: UpData,
  opened: AsyncDisposableStack,
): Promise<ConsoleData> {
  const { store, functions, queue, deadLetters: letters, clock } = running;
  const { hints, samples } = followed ?? (await followShared(running, opened));
  const processes = async () => [ownProcess(running)];
  const unserved = createUnserved({ queue, functions, processes, clock });
  const fleet = opened.use(startFleetIndex({ store, queue, functions, hints, clock, unserved }));
  const connect = await readManagement(running.kubeconfigFile, { clock, log });
  const sources = {
    ...{ ...running, letters, fleet, unserved, samples, functionsDir, log, random: systemRandom },
    connect: (token: string | undefined) => connect({}, token),
  };
  const ports = {
    ...readPorts(sources, opened),
    relay: createRelaySource({ processes, store, clock }),
    ...actionPorts({ queue, letters, clock, log }, flags),
  };
  return { ports, page: openPage(), hints };
}

async function followShared(
  { backend, clock, log }: Running,
  opened: AsyncDisposableStack,
): Promise<Followed> {
  return {
    hints: opened.use(await backend.hints({ log })),
    samples: opened.use(await backend.samples({ clock, log })),
  };
}

function ownProcess({ relay, worker, functions, clock }: Running): LivingProcess {
  const reasons = partReasons(relay, worker);
  return {
    id: `${hostname()}-${process.pid}`,
    roles: ["up"],
    version: packageVersion(),
    // The time has the steps of other processes' signs of life, so that the answer changes no more often.
    seenAt: new Date(Math.floor(clock.now().getTime() / BEAT_MS) * BEAT_MS),
    ready: reasons.length === 0,
    reasons,
    functions: functions.map(({ spec }) => spec.name),
    running: worker?.status().running,
    watches: relay?.status().loops,
  };
}
