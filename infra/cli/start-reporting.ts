import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { Queue } from "../../shared/runtime/queue/queue-port.ts";
import { packageVersion } from "../platform/package-version.ts";
import type { Backend } from "../queue/backends/backend.ts";
import type { Heartbeat } from "../queue/heartbeats/heartbeats.ts";
import type { Relay } from "../relay/relay.ts";
import { partReasons } from "../worker/health.ts";
import type { Worker } from "../worker/worker.ts";

interface Reporting {
  readonly id: string;
  readonly roles: ReadonlySet<string>;
  readonly functions: readonly AnyFunction[];
  readonly queue: Queue;
  readonly relay: Relay | undefined;
  readonly worker: Worker | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Leaves beside a shared queue what people see of this process: that it is alive, and beside a relay how every function stands
 *. Nothing beside one that is not shared: its process can be asked itself.
 */
export async function startReporting(
  backend: Backend,
  process: Reporting,
  starting: AsyncDisposableStack,
): Promise<void> {
  if (!backend.capabilities.isShared) return;
  const { clock, log, queue, functions, relay } = process;
  const { startBeating } = await import("../queue/heartbeats/start-beating.ts");
  const heartbeats = starting.use(await backend.heartbeats({ log }));
  starting.use(startBeating({ heartbeats, look: () => heartbeatOf(process), clock, log }));
  if (relay === undefined) return;
  const { startSampling } = await import("../queue/samples/sample-queue.ts");
  const samples = starting.use(await backend.samples({ clock, log }));
  const names = functions.map(({ spec }) => spec.name);
  starting.use(startSampling({ queue, functions: names, samples, clock, log }));
}

function heartbeatOf({ id, roles, functions, queue, relay, worker }: Reporting): Heartbeat {
  const { ok, message = "no answer" } = queue.healthy();
  const reasons = [...partReasons(relay, worker), ...(ok ? [] : [`queue: ${message}`])];
  const { loops, election, share } = relay?.status() ?? {};
  return {
    id,
    roles: [...roles],
    version: packageVersion(),
    ready: reasons.length === 0,
    reasons,
    functions: functions.map(({ spec }) => spec.name),
    running: worker?.status().running,
    watches: loops,
    leader: election?.leader,
    shard: share?.shard,
  };
}
