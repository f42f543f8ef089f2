import { randomUUID } from "node:crypto";
import { MANAGEMENT } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { knownKinds } from "../../../shared/function/known-kinds.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import { systemClock } from "../../platform/clock.ts";
import { readEnvironment } from "../../platform/config.ts";
import { openIssuer } from "../../platform/pki/open-issuer.ts";
import { printSource } from "../../platform/terminal/print.ts";
import { openManifests } from "../../platform/yaml/open-manifests.ts";
import { capabilitiesOf, openBackend, type QueueSource } from "../../queue/backends/open.ts";
import type { QueueFlags } from "../../queue/backends/queue-source.ts";
import { parseSqsUrl } from "../../queue/backends/sqs/sqs-url.ts";
import { createRecorder } from "../../queue/letters/recorder.ts";
import type { LeaseTiming } from "../../queue/run-lease.ts";
import { createLambdaHandler, type LambdaConnections, type LambdaHandler } from "../../worker/lambda.ts";
import { loadFunctions } from "../../worker/load.ts";
import { catchStrayErrors } from "../../worker/stray-errors.ts";
import { createEmbeddedMetrics } from "../../worker/telemetry/embedded-metrics.ts";
import { type LedgerMeter, meterLedger } from "../../worker/telemetry/ledger-metrics.ts";
import type { LogLevel } from "../../worker/telemetry/log.ts";
import { meterQueue } from "../../worker/telemetry/metered-queue.ts";
import type { Metrics } from "../../worker/telemetry/metrics.ts";
import { meterRequests, type NoteRequest } from "../../worker/telemetry/process-metrics.ts";
import { startWorker } from "../../worker/worker.ts";
import {
  type Connect,
  managementRate,
  type RequestOptions,
  readManagement,
  workloadOptions,
} from "../management.ts";
import { openClients, openLimit } from "../open-state.ts";
import { sharedQueue } from "../queue-options.ts";
import { openLog } from "../terminal/log.ts";
import { tieQueue } from "../tie-queue.ts";

/** The functions that a Lambda function serves, and how it reaches its servers. */
export interface OpenLambdaOptions extends RequestOptions, QueueFlags {
  readonly kubeconfig?: string | undefined;
  readonly functions: readonly string[];
  readonly functionsDir?: string | undefined;
  readonly logLevel?: LogLevel | undefined;
  readonly maxDeletionsPerHour?: number | undefined;
  readonly namespaceRunsPerSecond?: number | undefined;
  /** Timeout of the Lambda function. */
  readonly timeoutSeconds: number;
}

/**
 * Opens the handler of a Lambda function. Reads its functions, its queue and its credentials now, so that a mistake ends
 * the start; connects at the first event. Metrics go to standard output, the log to standard error.
 */
export async function openLambda(options: OpenLambdaOptions): Promise<LambdaHandler> {
  const clock = systemClock;
  const log = openLog(options.logLevel ?? readEnvironment().CAPSTAN_LOG_LEVEL);
  const queue = sharedQueue(options, "lambda", log);
  if (!capabilitiesOf(queue).isPushed) {
    throw new Error(
      "AWS Lambda takes its events from SQS; name the queue by sqs://REGION?redis=redis://HOST:PORT",
    );
  }
  const functions = await loadFunctions(options.functions, options.functionsDir);
  const names = functions.map(({ spec }) => spec.name);
  const metrics = createEmbeddedMetrics(names, clock);
  const noteRequest = meterRequests(metrics);
  const requests = (request: Parameters<NoteRequest>[1]) => noteRequest(MANAGEMENT, request);
  // Read again for each connection: a token of EKS lasts for minutes.
  const management = () => readManagement(options.kubeconfig, { clock, log, noteRequest: requests });
  await management();
  const meter = meterLedger(metrics, names);
  const parts = { functions, queue, management, metrics, meter, noteRequest, clock, log, options };
  const strays = catchStrayErrors(log, meter.noteStrayError);
  const handler = createLambdaHandler({
    functions,
    prefix: parseSqsUrl(queue.url).prefix,
    clock,
    log,
    timeoutMs: options.timeoutSeconds * SECOND,
    connect: (timing) => connectAll(parts, timing),
    noteEnd: async () => printSource(await metrics.text()),
  });
  const disconnect = handler[Symbol.asyncDispose];
  const dispose = async (): Promise<void> => {
    await disconnect();
    strays[Symbol.dispose]();
  };
  return Object.assign(handler, { [Symbol.asyncDispose]: dispose });
}

/** Returns the timeout of a Lambda function. Throws when AWS or a run would not be content with it. */
export function parseTimeout(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= 10 && seconds <= 900) return seconds;
  throw new Error("it is a whole number of seconds from 10 to 900");
}

interface Parts {
  readonly functions: readonly AnyFunction[];
  readonly queue: QueueSource;
  readonly management: () => Promise<Connect>;
  readonly metrics: Metrics;
  readonly meter: LedgerMeter;
  readonly noteRequest: NoteRequest;
  readonly clock: Clock;
  readonly log: Log;
  readonly options: OpenLambdaOptions;
}

/** Connects to all servers, and starts a worker for what is handed over. */
async function connectAll(parts: Parts, timing: LeaseTiming): Promise<LambdaConnections> {
  const { functions, queue: source, metrics, meter, clock, log, options } = parts;
  await using starting = new AsyncDisposableStack();
  const connect = await parts.management();
  const server = starting.use(connect(managementRate(options)));
  const backend = await openBackend(source);
  const deadLetters = starting.use(await backend.letters({ clock, log, writer: true }));
  const recorder = starting.use(createRecorder({ deadLetters, functions, clock, log }));
  const store = starting.use(await backend.store({ kindOf: knownKinds(functions), log }));
  const pushed = starting.use(
    await backend.pushed({
      clock,
      log,
      timing,
      noteCount: meter.noteCount,
      noteFailure: async (run) => {
        await recorder.noteFailure(run);
        await meter.noteFailure(run);
      },
    }),
  );
  // Only at the start: a frozen function renews nothing, and the relay does.
  await using _tied = await tieQueue({ backend, server, clock, log, isTemporary: false, waits: false });
  const { queue } = meterQueue(pushed, { metrics });
  const counts = { perHour: options.maxDeletionsPerHour, clock, log };
  const counted = await openLimit(backend, counts, starting);
  const limit = counted && { ...counted, noteHeldBack: meter.noteHeldBack };
  const noteWorkloadRequest = (request: Parameters<NoteRequest>[1]) => parts.noteRequest("workload", request);
  const reach = { management: server, store, clock, log, noteWorkloadRequest, ...workloadOptions(options) };
  const clients = openClients(reach, functions, starting);
  const owner = `lambda-${randomUUID().slice(0, 8)}`;
  const issuer = await openIssuer(functions);
  const manifests = await openManifests(functions);
  const { namespaceRunsPerSecond } = options;
  const serving = {
    functions,
    queue,
    owner,
    store,
    clients,
    issuer,
    manifests,
    clock,
    log,
    limit,
    namespaceRunsPerSecond,
  };
  starting.use(await startWorker(serving));
  const running = starting.move();
  return { deliver: pushed.deliver, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
