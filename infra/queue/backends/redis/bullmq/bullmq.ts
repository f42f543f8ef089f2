import type { NoteFailure } from "../../../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock } from "../../../../../shared/runtime/ports.ts";
import type { NoteCount, Queue } from "../../../../../shared/runtime/queue/queue-port.ts";
import { systemClock } from "../../../../platform/clock.ts";
import { checkEntries } from "../../../check-entries.ts";
import { forgetCount, forgetFailure } from "../../../claim.ts";
import { checkFunctionName } from "../../../function-name.ts";
import type { LedgerLimits } from "../../../limits.ts";
import type { LeaseTiming } from "../../../run-lease.ts";
import { LEASE_TIMING } from "../../../run-lease.ts";
import { readerOf } from "../../../tokens/reader-of.ts";
import { TOKEN_WINDOW, TokenQueue } from "../../../tokens/token-queue.ts";
import { createRedisLedger } from "../ledger/redis-ledger.ts";
import { ledgerPrefix } from "../ledger/redis-scripts.ts";
import {
  connectPatiently,
  connectRedis,
  endConnection,
  type RedisTarget,
  withConnections,
} from "../server/connection.ts";
import { watchRedis } from "../server/shard-health.ts";
import { createBullmqTransport } from "./bullmq-transport.ts";
import { removeOrphans } from "./orphans.ts";

export interface BullmqQueueOptions extends RedisTarget {
  /** The clock for timers of this process; instants come from Redis. */
  readonly clock?: Clock;
  readonly timing?: Partial<LeaseTiming>;
  /** ms until the token of an unclaimed key is sent again. Default 5 s. */
  readonly resendMs?: number;
  /** Called with every failure, for dead letters. */
  readonly noteFailure?: NoteFailure;
  /** Called with the counts of the ledger, for metrics. */
  readonly noteCount?: NoteCount;
  readonly limits?: Partial<LedgerLimits>;
}

/**
 * Creates the queue of many processes: ledger on Redis, tokens through BullMQ. A process that has used a function also
 * ticks it in turn with the others, worker or not. Throws when Redis cannot be reached or evicts data.
 */
export async function createBullmqQueue({
  clock = systemClock,
  timing,
  resendMs,
  noteFailure = forgetFailure,
  noteCount = forgetCount,
  limits = {},
  ...given
}: BullmqQueueOptions): Promise<Queue> {
  const target = withConnections(given);
  const { log } = target;
  const producer = await connectRedis(target);
  const health = await watchRedis(producer, { ...target, clock }).catch(async (error: unknown) => {
    await endConnection(producer);
    throw error;
  });
  const patient = connectPatiently(producer, target);
  const worker = patient.redis;
  const ledger = await createRedisLedger({
    producer,
    worker,
    window: TOKEN_WINDOW,
    noteCount,
    limits,
    resendMs,
  });
  const stopRemoving = removeOrphans({
    redis: producer,
    clock,
    onError: (error) => log.debug({ error: error.message }, "orphaned tokens were not searched for"),
  });
  const functions = new Map<string, Promise<TokenQueue>>();
  let closed = false;
  const create = async (functionName: string): Promise<TokenQueue> => {
    const transport = await createBullmqTransport({ functionName, producer, worker, clock, log });
    return new TokenQueue({
      functionName,
      ledger,
      transport,
      clock,
      log,
      timing: { ...LEASE_TIMING, ...timing },
      noteFailure,
      anyKey: true,
    });
  };
  const open = async (name: string): Promise<TokenQueue> => {
    if (closed) throw new Error("the queue is closed");
    const opened = functions.get(checkFunctionName(name)) ?? create(name);
    functions.set(name, opened);
    return opened;
  };
  return {
    enqueue: async (name, entries) => {
      const queue = await open(name);
      checkEntries(entries);
      await health.watch(ledgerPrefix(name, producer), () => queue.enqueue(entries));
    },
    work: async (name, options, run) => (await open(name)).work(options, run),
    depth: async (name) => {
      await open(name);
      return ledger.depth(name);
    },
    dead: async (name) => ledger.dead(checkFunctionName(name)),
    ...readerOf(ledger),
    epoch: async (name) =>
      `${await ledger.epoch(checkFunctionName(name))}.${await health.generation(ledgerPrefix(name, producer))}`,
    pause: async (name) => (await open(name)).pause(true),
    resume: async (name) => (await open(name)).pause(false),
    requeue: async (name, seen, cause) => (await open(name)).requeue(seen, cause),
    healthy: () => health.healthy(),
    [Symbol.asyncDispose]: async () => {
      closed = true;
      stopRemoving();
      health[Symbol.dispose]();
      const opened = await Promise.all(functions.values());
      await Promise.all(opened.map((each) => each[Symbol.asyncDispose]()));
      await Promise.all([patient[Symbol.asyncDispose](), endConnection(producer)]);
    },
  };
}
