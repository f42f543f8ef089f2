import type { Message } from "@aws-sdk/client-sqs";
import { MINUTE, SECOND } from "../../shared/function/backoff.ts";

import type { AnyFunction } from "../../shared/function/define-function.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { MessageSource, PushedSqsQueue } from "../queue/backends/sqs/sqs.ts";
import { DEFAULT_SQS_PREFIX } from "../queue/backends/sqs/sqs.ts";
import { sqsQueueName } from "../queue/backends/sqs/sqs-queues.ts";
import type { LeaseTiming } from "../queue/run-lease.ts";
import { keepConnections } from "./lambda-connections.ts";

/** Timeout of a Lambda function where nothing else is named, as in the rendered template. */
export const DEFAULT_TIMEOUT_SECONDS = 60;
/** Runs side by side in one invocation; BatchSize of the event source mapping is best the same. */
const DEFAULT_CONCURRENCY = 10;
/** Added to the platform's timeout: by then it has ended whatever ran. */
const LEASE_MARGIN_MS = 5 * SECOND;
/** Kept for the end of the last runs and for the answer, at most a tenth of the timeout. */
const MAX_END_MS = 2 * SECOND;

/** A message as Lambda hands it over; everything in it may be missing or wrong. */
export interface SqsRecord {
  readonly messageId?: unknown;
  readonly body?: unknown;
  /** `arn:aws:sqs:<region>:<account>:<prefix><function>-live` or `-resync`. */
  readonly eventSourceARN?: unknown;
}

/** The answer to SQS: with ReportBatchItemFailures, it delivers these messages again and deletes the others. */
interface SqsBatchResponse {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

/** The part of the context of an invocation that is used. */
export interface LambdaContext {
  /** ms until the platform ends the process. */
  readonly getRemainingTimeInMillis?: () => number;
}

/** The queue of a Lambda function, with a worker that serves it. */
export type LambdaConnections = Pick<PushedSqsQueue, "deliver"> & AsyncDisposable;

export interface LambdaOptions {
  readonly functions: readonly AnyFunction[];
  /** The text in front of every queue name. Default `capstan-`. */
  readonly prefix?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Timeout of the Lambda function. A run gets almost half of it, at most 60 s, and starts in the first half or not
   * at all.
   */
  readonly timeoutMs: number;
  /** Runs at the same time. Default 10. */
  readonly concurrency?: number;
  /** Called at the first event, and again after a freeze. */
  readonly connect: (timing: LeaseTiming) => Promise<LambdaConnections>;
  /** Called before each answer, for metrics. */
  readonly noteEnd?: () => Promise<void>;
}

export type LambdaHandler = ((event: unknown, context?: LambdaContext) => Promise<SqsBatchResponse>) &
  AsyncDisposable;

/**
 * The entry of AWS Lambda for event source mappings on the queues of `functions`. Connects at the first
 * event and keeps nothing but the connections between events (S-72). Never throws: a throw would fail the whole batch.
 * Reports messages that could not be claimed or finished because Redis did not answer, for which no time was left, or
 * that came from another queue: SQS keeps them. A run that fails is retried by the ledger, and a message that is not a
 * token is deleted.
 */
export function createLambdaHandler(options: LambdaOptions): LambdaHandler {
  const { clock, log, timeoutMs, concurrency = DEFAULT_CONCURRENCY, noteEnd } = options;
  const timing = timingOf(timeoutMs);
  const connections = keepConnections(() => options.connect(timing), clock);
  const handler = async (event: unknown, context: LambdaContext = {}): Promise<SqsBatchResponse> => {
    const records = recordsOf(event);
    using invocation = connections.begin();
    using start = lastStart(clock, remainingMs(context, timeoutMs) - endMs(timeoutMs) - timing.runTimeoutMs);
    const failures = new Failures();
    const hand = async (source: MessageSource, message: Message): Promise<void> => {
      start.assertTime();
      const connected = await start.before(invocation.connected());
      try {
        await connected.deliver(source, message);
      } catch (error) {
        const other = await start.before(invocation.instead(connected));
        if (other === undefined) throw error;
        await other.deliver(source, message);
      }
    };
    const deliver = async (record: SqsRecord): Promise<void> => {
      const messageId = textOf(record.messageId);
      try {
        const source = sourceOf(record, options);
        if (source === undefined)
          throw new Error("the queue belongs to none of the functions that are served");
        await hand(source, { Body: textOf(record.body), MessageId: messageId });
      } catch (error) {
        failures.add(messageId, textOf(record.eventSourceARN), error);
      }
    };
    const next = records[Symbol.iterator]();
    const lane = async (): Promise<void> => {
      for (const record of next) await deliver(record);
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, records.length) }, lane));
    failures.write(log);
    await noteEnd?.();
    return { batchItemFailures: failures.ids.map((itemIdentifier) => ({ itemIdentifier })) };
  };
  return Object.assign(handler, { [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose]() });
}

/** Messages of one event that were not handled: thousands may have failed for one reason. */
class Failures {
  /** An identifier that Lambda does not know, such as an empty one, would fail the whole batch. */
  readonly ids: string[] = [];
  readonly #counts = new Map<
    string,
    { readonly queue: string | undefined; error: string; messages: number }
  >();

  add(messageId: string | undefined, queue: string | undefined, thrown: unknown): void {
    if (messageId !== undefined && messageId !== "") this.ids.push(messageId);
    const error = String(thrown);
    const counted = this.#counts.get(`${queue} ${error}`) ?? { queue, error, messages: 0 };
    counted.messages += 1;
    this.#counts.set(`${queue} ${error}`, counted);
  }

  write(log: Log): void {
    for (const counted of this.#counts.values()) log.error(counted, "messages are not handled");
  }
}

/**
 * Returns the end of the time in which runs may start. It is counted by a timer, since the clock may be set while an
 * event is handled: a machine that was frozen wakes with the time of its freeze.
 */
function lastStart(clock: Clock, inMs: number) {
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => undefined);
  let isOver = inMs <= 0;
  const late = (): Error => new Error("no time is left in this invocation");
  const cancel = clock.after(Math.max(0, inMs), () => {
    isOver = true;
    over.reject(late());
  });
  return {
    /** Throws when it is over. */
    assertTime(): void {
      if (isOver) throw late();
    },
    /** Rejects when it is over. */
    before: <T>(work: Promise<T>): Promise<T> => Promise.race([work, over.promise]),
    [Symbol.dispose]: cancel,
  };
}

/**
 * Returns the time that the platform leaves. A time that cannot be right is not believed: right after a freeze, the
 * clock of the machine may differ from that of the platform.
 */
function remainingMs({ getRemainingTimeInMillis }: LambdaContext, timeoutMs: number): number {
  const leftMs = getRemainingTimeInMillis?.() ?? timeoutMs;
  return leftMs > 0 && leftMs < timeoutMs ? leftMs : timeoutMs;
}

function endMs(timeoutMs: number): number {
  return Math.min(MAX_END_MS, timeoutMs / 10);
}

/** No renewal: the platform freezes the process between events, and a lease outlives its timeout. */
function timingOf(timeoutMs: number): LeaseTiming {
  const leaseMs = timeoutMs + LEASE_MARGIN_MS;
  const runTimeoutMs = Math.min(MINUTE, (timeoutMs - endMs(timeoutMs)) / 2);
  return { leaseMs, renewMs: 2 * leaseMs, runTimeoutMs, drainMs: timeoutMs };
}

/** Returns the records of an event; an event of something else has none. */
function recordsOf(event: unknown): readonly SqsRecord[] {
  const records = typeof event === "object" && event !== null && "Records" in event ? event.Records : [];
  if (!Array.isArray(records)) return [];
  return records.filter((record): record is SqsRecord => typeof record === "object" && record !== null);
}

/** Returns `undefined` unless the queue belongs to one of the functions (S-20, S-71). */
function sourceOf(
  { eventSourceARN }: SqsRecord,
  { functions, prefix = DEFAULT_SQS_PREFIX }: LambdaOptions,
): MessageSource | undefined {
  const name = textOf(eventSourceARN)?.split(":").at(-1) ?? "";
  for (const { spec } of functions) {
    for (const priority of ["live", "resync"] as const) {
      const own = sqsQueueName(prefix, spec.name, priority);
      if (name === own) return { functionName: spec.name, priority };
    }
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
