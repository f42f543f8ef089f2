import { systemClock } from "../../infra/platform/clock.ts";
import { readTraceVariables } from "../../infra/platform/config.ts";
import type { Tracing } from "../../infra/worker/telemetry/trace-metrics.ts";
import { openTraces } from "../../infra/worker/telemetry/traces/traces.ts";
import { type Kind, MANAGEMENT } from "../../shared/api/kinds.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import type { Clients, KubeClient } from "../../shared/runtime/ports.ts";
import type { Lease, Outcome, Queue } from "../../shared/runtime/queue/queue-port.ts";
import type { Change } from "../../shared/runtime/queue/route.ts";
import { machinePool } from "../support/builders.ts";
import { silentLog } from "../support/silent-log.ts";
import { round } from "./capstan-process.ts";
import { median } from "./rounds.ts";

const RUNS = 50_000;
const PASSES = 9;
const NAME = "machinepool-status";

const POOL = machinePool({ metadata: { uid: "u", resourceVersion: "8" }, status: { phase: "Running" } });
const KEY = { namespace: "default", name: "p1" };
const CHANGE: Change = {
  kind: MachinePool,
  cluster: MANAGEMENT,
  before: machinePool({ metadata: { uid: "u", resourceVersion: "7" } }),
  after: POOL,
};
const DONE: Outcome = { type: "ok", requested: true, fences: [] };

/** Parts of a process that tracing wraps. */
type Traced = Pick<Tracing, "queue" | "clients" | "traceEvent">;

const UNTRACED: Traced = { queue: (queue) => queue, clients: (clients) => clients, traceEvent: undefined };

/**
 * CPU microseconds that tracing adds to a run of a Cluster that is not sampled: to its event, to the run, and to a read
 * and a write of it. Measured by itself, since whole runs differ by tens of microseconds from one start to the next.
 */
export async function costOfUnsampledRun(): Promise<number> {
  const variables = readTraceVariables({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    OTEL_TRACES_SAMPLER_ARG: "0",
  });
  await using traces = variables && openTraces(variables, { clock: systemClock, log: silentLog });
  if (traces === undefined) throw new Error("there is no tracing");
  const passes: number[] = [];
  for (let pass = 0; pass <= PASSES; pass += 1) {
    const bare = await cpuOf(UNTRACED);
    const traced = await cpuOf(traces);
    // The first pass compiles the code.
    if (pass > 0) passes.push((traced - bare) / RUNS);
  }
  return round(median(passes), 2);
}

/** CPU microseconds of all runs. */
async function cpuOf(tracing: Traced): Promise<number> {
  const clients = tracing.clients(CLIENTS);
  const runs: ((lease: Lease) => Promise<Outcome>)[] = [];
  const queue = { work: async (_name: string, _options: unknown, run: (typeof runs)[0]) => runs.push(run) };
  const step = async ({ runId }: Lease): Promise<Outcome> => {
    const client = clients.of(MANAGEMENT, NAME, { runId });
    await client.get(MachinePool as Kind, KEY);
    await client.apply(MachinePool as Kind, KEY, {}, "status");
    return DONE;
  };
  await tracing.queue(queue as unknown as Queue).work(NAME, {} as never, step);
  const [run = step] = runs;
  const { signal } = new AbortController();
  const before = process.cpuUsage();
  for (let at = 0; at < RUNS; at += 1) {
    const tenant = `default/c${at % 1_000}`;
    const event = tracing.traceEvent?.(CHANGE);
    const traceparent = event?.traceparentOf(tenant);
    event?.end();
    const causes = [{ what: "MachinePool default/p1", resourceVersion: "8", traceparent }];
    const runId = `0123456789abc${at}`;
    await run({
      key: `${tenant}|MachinePool|default/p1`,
      runId,
      causes,
      failures: 0,
      retries: 0,
      fences: [],
      signal,
    });
  }
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const CLIENT = { get: async () => POOL, apply: async () => POOL };
const CLIENTS: Clients = { of: () => CLIENT as unknown as KubeClient };
