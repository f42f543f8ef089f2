import { randomUUID } from "node:crypto";
import { MINUTE, SECOND } from "../../shared/function/backoff.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { RunContext } from "../../shared/runtime/run-step.ts";
import { openIssuer } from "../pki/open-issuer.ts";
import type { LeaseTiming } from "../queue/run-lease.ts";
import type { MessageSource, PushedSqsQueue, SqsQueueOptions } from "../queue/sqs/sqs.ts";
import { createPushedSqsQueue, DEFAULT_SQS_PREFIX } from "../queue/sqs/sqs.ts";
import { sqsQueueName } from "../queue/sqs/sqs-queues.ts";
import { catchStrayErrors } from "./stray-errors.ts";
import { startWorker } from "./worker.ts";

/** Runs side by side in one invocation; BatchSize of the event source mapping is best the same. */
const DEFAULT_CONCURRENCY = 10;
/** Added to the platform's timeout: by then it has ended whatever ran. */
const LEASE_MARGIN_MS = 5 * SECOND;

/** A message as Lambda hands it over; everything in it may be missing or wrong. */
export interface SqsRecord {
  readonly messageId?: unknown;
  readonly body?: unknown;
  /** `arn:aws:sqs:<region>:<account>:<prefix><function>-live` or `-resync`. */
  readonly eventSourceARN?: unknown;
}

interface SqsEvent {
  readonly Records?: readonly SqsRecord[];
}

/** With ReportBatchItemFailures, SQS delivers these messages again and deletes the others. */
interface SqsBatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

export interface LambdaOptions extends RunContext {
  readonly functions: readonly AnyFunction[];
  readonly sqs: Omit<SqsQueueOptions, "log" | "clock" | "timing" | "waitSeconds">;
  /**
   * Timeout of the Lambda function. A run gets half of it, at most 60 s, and starts in the first half or not
   * at all.
   */
  readonly timeoutMs: number;
  /** Runs at the same time. Default 10. */
  readonly concurrency?: number;
}

export type LambdaHandler = ((event: SqsEvent) => Promise<SqsBatchResponse>) & AsyncDisposable;

/**
 * The entry of AWS Lambda for event source mappings on the queues of `functions`. Connects at the
 * first event and keeps nothing but the connections between events (S-72). Never throws: a throw would fail the
 * whole batch. Reports only messages that could not be claimed or finished because Redis did not answer, or for which
 * no
 * time was left; a run that fails is retried by the ledger, and a message that is not a token is deleted.
 */
export function createLambdaHandler(options: LambdaOptions): LambdaHandler {
  const { clock, log, timeoutMs, concurrency = DEFAULT_CONCURRENCY } = options;
  const timing = timingOf(timeoutMs);
  let opening: Promise<Serving> | undefined;
  const serve = async (): Promise<Serving> => {
    opening ??= startServing(options, timing);
    try {
      return await opening;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };
  const handler = async ({ Records = [] }: SqsEvent): Promise<SqsBatchResponse> => {
    const latestStartMs = clock.now().getTime() + timeoutMs - timing.runTimeoutMs;
    const failed: string[] = [];
    const deliver = async (record: SqsRecord): Promise<void> => {
      const messageId = textOf(record.messageId);
      const source = sourceOf(record, options);
      if (source === undefined) {
        log.error(
          { message: messageId, queue: record.eventSourceARN },
          "a message for none of the functions",
        );
        return;
      }
      try {
        if (clock.now().getTime() >= latestStartMs) throw new Error("no time is left in this invocation");
        const { queue } = await serve();
        await queue.deliver(source, { Body: textOf(record.body), MessageId: messageId });
      } catch (error) {
        log.warn({ function: source.functionName, message: messageId, error: String(error) }, "not handled");
        // An identifier that Lambda does not know would fail the whole batch.
        if (messageId !== undefined) failed.push(messageId);
      }
    };
    const next = Records[Symbol.iterator]();
    const lane = async (): Promise<void> => {
      for (const record of next) await deliver(record);
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, Records.length) }, lane));
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  };
  return Object.assign(handler, {
    [Symbol.asyncDispose]: async () => {
      const serving = await opening?.catch(() => undefined);
      await serving?.[Symbol.asyncDispose]();
    },
  });
}

interface Serving extends AsyncDisposable {
  readonly queue: PushedSqsQueue;
}

async function startServing(
  { functions, sqs, store, clients, clock, log }: LambdaOptions,
  timing: LeaseTiming,
): Promise<Serving> {
  await using starting = new AsyncDisposableStack();
  const queue = starting.use(await createPushedSqsQueue({ ...sqs, clock, log, timing }));
  const owner = `lambda-${randomUUID().slice(0, 8)}`;
  starting.use(catchStrayErrors(log));
  const issuer = await openIssuer(functions);
  starting.use(await startWorker({ functions, queue, owner, store, clients, issuer, clock, log }));
  const running = starting.move();
  return { queue, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** No renewal: the platform freezes the process between events, and a lease outlives its timeout. */
function timingOf(timeoutMs: number): LeaseTiming {
  const leaseMs = timeoutMs + LEASE_MARGIN_MS;
  return { leaseMs, renewMs: 2 * leaseMs, runTimeoutMs: Math.min(MINUTE, timeoutMs / 2), drainMs: timeoutMs };
}

/** `undefined` unless the queue belongs to one of the functions (S-20, S-71). */
function sourceOf(
  { eventSourceARN }: SqsRecord,
  { functions, sqs }: LambdaOptions,
): MessageSource | undefined {
  const name = textOf(eventSourceARN)?.split(":").at(-1) ?? "";
  for (const { spec } of functions) {
    for (const wanted of ["live", "resync"] as const) {
      const own = sqsQueueName(sqs.prefix ?? DEFAULT_SQS_PREFIX, spec.name, wanted);
      if (name === own) return { functionName: spec.name, class: wanted };
    }
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
