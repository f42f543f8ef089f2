import { systemClock } from "../../infra/platform/clock.ts";
import { createBullmqTransport } from "../../infra/queue/backends/redis/bullmq/bullmq-transport.ts";
import { createRedisLedger } from "../../infra/queue/backends/redis/ledger/redis-ledger.ts";
import {
  connectPatiently,
  connectRedis,
  endConnection,
} from "../../infra/queue/backends/redis/server/connection.ts";
import { LEASE_TIMING } from "../../infra/queue/run-lease.ts";
import type { TokenLedger } from "../../infra/queue/tokens/token-ledger.ts";
import { TOKEN_WINDOW, TokenQueue } from "../../infra/queue/tokens/token-queue.ts";
import type { NoteFailure } from "../../shared/runtime/letters/dead-letters-port.ts";
import { silentLog } from "./silent-log.ts";

/** One function of the bullmq queue, which gives a process only a moment to write the letter of a dying key. */
export async function openShortLetterQueue(
  url: string,
  functionName: string,
  noteFailure: NoteFailure,
): Promise<AsyncDisposable & { readonly queue: TokenQueue; readonly ledger: TokenLedger }> {
  await using opening = new AsyncDisposableStack();
  const [clock, log] = [systemClock, silentLog];
  const producer = opening.adopt(await connectRedis({ url, log }), endConnection);
  const { redis: worker } = opening.use(connectPatiently(producer));
  const ledger = await createRedisLedger({
    producer,
    worker,
    window: TOKEN_WINDOW,
    limits: { letterMs: 500 },
  });
  const transport = await createBullmqTransport({ functionName, producer, worker, clock, log });
  const queue = opening.use(
    new TokenQueue({ functionName, ledger, transport, clock, log, timing: LEASE_TIMING, noteFailure }),
  );
  const opened = opening.move();
  return { queue, ledger, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
