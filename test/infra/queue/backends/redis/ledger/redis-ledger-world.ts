import { Redis } from "ioredis";
import { createRedisLedger } from "../../../../../../infra/queue/backends/redis/ledger/redis-ledger.ts";
import type { TokenLedger } from "../../../../../../infra/queue/tokens/token-ledger.ts";
import type { NoteCount } from "../../../../../../shared/runtime/queue/queue-port.ts";
import { startRedis } from "../../../../../support/processes/redis-server.ts";
import { Counts } from "./counts.ts";

/** Every key of a test has a token. */
export const WIDE = 1_000;

/** A ledger on a redis-server of its own, which ends with it. */
export interface RedisLedgerWorld extends AsyncDisposable {
  readonly redis: Redis;
  readonly ledger: TokenLedger;
  readonly noteCount: NoteCount;
  /** Returns the counts of the ledger for one function. */
  countsOf(functionName: string): Counts;
}

export async function openRedisLedger(): Promise<RedisLedgerWorld> {
  const opened = new AsyncDisposableStack();
  const server = opened.use(await startRedis());
  const redis = opened.adopt(new Redis(server.url), (connection) => connection.disconnect());
  const counts = new Map<string, Counts>();
  const countsOf = (name: string): Counts => {
    const known = counts.get(name) ?? new Counts();
    counts.set(name, known);
    return known;
  };
  const noteCount: NoteCount = (name, counted, times) => countsOf(name).add(counted, times);
  const roles = { producer: redis, worker: redis };
  const ledger = await createRedisLedger({ ...roles, window: WIDE, resendMs: 40, noteCount });
  return { redis, ledger, noteCount, countsOf, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
