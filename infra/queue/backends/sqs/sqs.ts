import type { Message } from "@aws-sdk/client-sqs";
import { SECOND } from "../../../../shared/function/backoff.ts";
import type { NoteFailure } from "../../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock } from "../../../../shared/runtime/ports.ts";
import type {
  NoteCount,
  Priority,
  Queue,
  QueueEntry,
  QueueHealth,
} from "../../../../shared/runtime/queue/queue-port.ts";
import { systemClock } from "../../../platform/clock.ts";
import { checkEntries } from "../../check-entries.ts";
import { forgetCount, forgetFailure } from "../../claim.ts";
import { checkFunctionName } from "../../function-name.ts";
import type { LedgerLimits } from "../../limits.ts";
import type { LeaseTiming } from "../../run-lease.ts";
import { LEASE_TIMING } from "../../run-lease.ts";
import { readerOf } from "../../tokens/reader-of.ts";
import type { TokenLedger } from "../../tokens/token-ledger.ts";
import { TOKEN_WINDOW, TokenQueue } from "../../tokens/token-queue.ts";
import type { Transport } from "../../tokens/token-transport.ts";
import { createRedisLedger } from "../redis/ledger/redis-ledger.ts";
import { ledgerPrefix } from "../redis/ledger/redis-scripts.ts";
import {
  connectPatiently,
  connectRedis,
  endConnection,
  type RedisTarget,
  withConnections,
} from "../redis/server/connection.ts";
import type { RedisHealth } from "../redis/server/health.ts";
import { watchRedis } from "../redis/server/shard-health.ts";
import type { SqsTarget } from "./sqs-endpoint.ts";
import { openSqs } from "./sqs-endpoint.ts";
import { checkSqsPrefix, createSqsQueues } from "./sqs-queues.ts";
import { fitsIntoMessage } from "./sqs-token.ts";
import type { PushedTransport, SqsTransportOptions } from "./sqs-transport.ts";
import { createPushedSqsTransport, createSqsTransport } from "./sqs-transport.ts";

export const DEFAULT_SQS_PREFIX = "capstan-";
const MAX_WAIT_SECONDS = 20;
const MAX_VISIBILITY_SECONDS = 43_200;

/** The options of a queue on SQS, with the Redis of the ledger. */
export interface SqsQueueOptions extends SqsTarget, RedisTarget {
  /** The text in front of every queue name; letters, digits, `_`, `-`, up to 10. Default `capstan-`. */
  readonly prefix?: string | undefined;
  /** Create missing queues. Default: only with an `endpoint`; on AWS the deployment creates them. */
  readonly createQueues?: boolean | undefined;
  /** The clock for timers of this process; instants come from Redis. */
  readonly clock?: Clock;
  readonly timing?: Partial<LeaseTiming>;
  /** ms until the token of an unclaimed key is sent again. Default 5 s. */
  readonly resendMs?: number;
  /** The wait of a long poll; whole seconds, 0 to 20. Default 20. */
  readonly waitSeconds?: number;
  /** Called with every failure, for dead letters. */
  readonly noteFailure?: NoteFailure;
  /** Called with the counts of the ledger, for metrics. */
  readonly noteCount?: NoteCount;
  readonly limits?: Partial<LedgerLimits>;
}

/**
 * Creates the queue of many processes: ledger on Redis, tokens through SQS. SQS need not be reachable at the start.
 * Throws when Redis cannot be reached or evicts data, or the AWS SDK is not installed.
 */
export async function createSqsQueue(options: SqsQueueOptions): Promise<Queue> {
  return openQueue(options, { createTransport: createSqsTransport, patient: true });
}

/** The queue of a message, as a platform names it. */
export interface MessageSource {
  readonly functionName: string;
  readonly priority: Priority;
}

/** A queue that does not poll: the platform polls and hands over the messages. */
export interface PushedSqsQueue extends Queue {
  /** Settles when the message may be deleted; rejects when the ledger did not answer. */
  deliver(source: MessageSource, message: Message): Promise<void>;
}

/** Creates a queue for AWS Lambda. Calls to a ledger that is away reject at once: time on the platform costs money. */
export async function createPushedSqsQueue(options: SqsQueueOptions): Promise<PushedSqsQueue> {
  const transports = new Map<string, PushedTransport>();
  const createTransport = (transport: SqsTransportOptions): Transport => {
    const created = createPushedSqsTransport(transport);
    transports.set(transport.functionName, created);
    return created;
  };
  const queue = await openQueue(options, { createTransport, patient: false });
  return {
    ...queue,
    deliver: async ({ functionName, priority }, message) => {
      const transport = transports.get(functionName);
      if (transport === undefined) throw new Error(`no worker of ${functionName} runs in this process`);
      await transport.deliver(message, priority);
    },
  };
}

interface Intake {
  readonly createTransport: (options: SqsTransportOptions) => Transport;
  /**
   * True for a worker process: it waits for Redis with claimed keys, runs further keys for one token, in the order of
   * fairness, and ticks. On Lambda a token is one key: the platform gives no time for more, and freezes the
   * process between two events.
   */
  readonly patient: boolean;
}

async function openQueue(given: SqsQueueOptions, intake: Intake): Promise<Queue> {
  const options = withConnections(given);
  const { log, clock = systemClock, resendMs } = options;
  const { noteFailure = forgetFailure, noteCount = forgetCount, limits = {} } = options;
  const prefix = checkSqsPrefix(options.prefix ?? DEFAULT_SQS_PREFIX);
  const timing = { ...LEASE_TIMING, ...options.timing };
  const visibilitySeconds = visibilityOf(timing.leaseMs);
  const waitSeconds = checkWait(options.waitSeconds ?? MAX_WAIT_SECONDS);
  const endpoint = await openSqs(options, { clock, log });
  const producer = await connectRedis(options);
  const health = await watchRedis(producer, { ...options, clock }).catch(async (error: unknown) => {
    await endConnection(producer);
    throw error;
  });
  const patient = intake.patient ? connectPatiently(producer, options) : undefined;
  const worker = patient?.redis ?? producer;
  const shared = { resendMs, window: TOKEN_WINDOW, noteCount, limits };
  const ledger = await createRedisLedger({ producer, worker, ...shared });
  const open = (functionName: string): TokenQueue => {
    const queues = createSqsQueues({
      endpoint,
      functionName,
      prefix,
      visibilitySeconds,
      region: options.region,
      create: options.createQueues ?? options.endpoint !== undefined,
      aws: options.endpoint === undefined,
    });
    const common = { functionName, clock, log };
    const transport = intake.createTransport({
      ...common,
      endpoint,
      queues,
      waitSeconds,
      visibilitySeconds,
    });
    const { patient: lasts } = intake;
    return new TokenQueue({
      ...common,
      ledger,
      transport,
      timing,
      noteFailure,
      anyKey: lasts,
      ticks: lasts,
    });
  };
  const close = async (): Promise<void> => {
    endpoint.close();
    health[Symbol.dispose]();
    await Promise.all([patient?.[Symbol.asyncDispose](), endConnection(producer)]);
  };
  const healthy = (): QueueHealth => {
    const ofRedis = health.healthy();
    if (endpoint.reachable || !ofRedis.ok) return ofRedis;
    return { ...ofRedis, ok: false, message: "SQS cannot be used; tokens wait" };
  };
  return {
    ...queueOf({ ledger, health, prefixOf: (name) => ledgerPrefix(name, producer), open, close }),
    healthy,
  };
}

interface QueueParts {
  readonly ledger: TokenLedger;
  readonly health: RedisHealth;
  readonly prefixOf: (functionName: string) => string;
  readonly open: (functionName: string) => TokenQueue;
  readonly close: () => Promise<void>;
}

/** Returns a queue with one TokenQueue per function, opened when it is first used. */
function queueOf({ ledger, health, prefixOf, open: create, close }: QueueParts): Omit<Queue, "healthy"> {
  const functions = new Map<string, TokenQueue>();
  let closed: Promise<void> | undefined;
  const open = (name: string): TokenQueue => {
    if (closed !== undefined) throw new Error("the queue is closed");
    const opened = functions.get(checkFunctionName(name)) ?? create(name);
    functions.set(name, opened);
    return opened;
  };
  const end = async (): Promise<void> => {
    await Promise.all([...functions.values()].map((each) => each[Symbol.asyncDispose]()));
    await close();
  };
  return {
    enqueue: async (name, entries) => {
      const queue = open(name);
      checkEntries(entries);
      refuseLongKeys(entries);
      await health.watch(prefixOf(name), () => queue.enqueue(entries));
    },
    work: async (name, options, run) => open(name).work(options, run),
    depth: async (name) => {
      open(name);
      return ledger.depth(name);
    },
    dead: async (name) => ledger.dead(checkFunctionName(name)),
    ...readerOf(ledger),
    epoch: async (name) =>
      `${await ledger.epoch(checkFunctionName(name))}.${await health.generation(prefixOf(name))}`,
    pause: async (name) => open(name).pause(true),
    resume: async (name) => open(name).pause(false),
    requeue: async (name, seen, cause) => open(name).requeue(seen, cause),
    [Symbol.asyncDispose]: () => {
      closed ??= end();
      return closed;
    },
  };
}

/** Refuses keys, before the ledger accepts them, that no token could carry to a worker. */
function refuseLongKeys(entries: readonly QueueEntry[]): void {
  const long = entries.find(({ key }) => !fitsIntoMessage(key));
  if (long === undefined) return;
  const { length } = long.key;
  throw new TypeError(
    `the key "${long.key.slice(0, 60)}…" of ${length} characters does not fit into an SQS message`,
  );
}

/** Returns twice the lease: by then the key is done, or the ledger has given it to another worker. */
function visibilityOf(leaseMs: number): number {
  return Math.min(MAX_VISIBILITY_SECONDS, Math.max(1, Math.ceil((2 * leaseMs) / SECOND)));
}

function checkWait(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_WAIT_SECONDS) return seconds;
  throw new TypeError(`a long poll takes 0 to ${MAX_WAIT_SECONDS} whole seconds, not ${seconds}`);
}
