import { Redis } from "ioredis";
import { TokenHub } from "../../infra/queue/backends/embedded/token-hub.ts";
import { createRedisLedger } from "../../infra/queue/backends/redis/ledger/redis-ledger.ts";
import { checkEntries } from "../../infra/queue/check-entries.ts";
import { checkFunctionName } from "../../infra/queue/function-name.ts";
import type { LedgerLimits } from "../../infra/queue/limits.ts";
import { LEASE_TIMING, type LeaseTiming } from "../../infra/queue/run-lease.ts";
import { readerOf } from "../../infra/queue/tokens/reader-of.ts";
import type { TokenLedger } from "../../infra/queue/tokens/token-ledger.ts";
import { TOKEN_WINDOW, TokenQueue } from "../../infra/queue/tokens/token-queue.ts";
import type { NoteCount, Queue } from "../../shared/runtime/queue/queue-port.ts";
import type { VirtualClock } from "./clock.ts";
import { putScriptsOnTestTime } from "./scripts-on-test-time.ts";
import { silentLog } from "./silent-log.ts";

export interface LuaQueueOptions {
  readonly url: string;
  readonly timing?: Partial<LeaseTiming>;
  readonly limits?: Partial<LedgerLimits>;
  readonly noteCount?: NoteCount;
  /** Default: as in production. */
  readonly tickMs?: number;
}

export interface LuaQueues extends AsyncDisposable {
  /** Two processes. */
  readonly queue: Queue;
  readonly other: Queue;
  readonly clock: VirtualClock;
  /** Both let time have its effect now. */
  tick(): Promise<void>;
}

/** The ledger of Lua scripts on a real Redis, in virtual time, with tokens that never leave this process. */
export async function openLuaQueues({
  url,
  timing,
  limits = {},
  noteCount,
  tickMs,
}: LuaQueueOptions): Promise<LuaQueues> {
  const redis = new Redis(url);
  const clock = putScriptsOnTestTime(redis);
  const own = { producer: redis, worker: redis, window: TOKEN_WINDOW, limits };
  const onRedis = await createRedisLedger({ ...own, ...(noteCount === undefined ? {} : { noteCount }) });
  // Whose ticks they are ends by the clock of Redis, which stands still here.
  const ledger: TokenLedger = { ...onRedis, takeTicks: async () => true };
  const hubs = new Map<string, TokenHub>();
  const opened: Map<string, TokenQueue>[] = [];
  const openProcess = (): Queue => {
    const functions = new Map<string, TokenQueue>();
    opened.push(functions);
    return queueOf(
      ledger,
      (functionName) => {
        const known = functions.get(functionName);
        if (known !== undefined) return known;
        const transport = hubs.get(functionName) ?? new TokenHub(clock);
        hubs.set(functionName, transport);
        const lease = { ...LEASE_TIMING, ...timing };
        const parts = { functionName, ledger, transport, clock, log: silentLog, timing: lease, tickMs };
        const queue = new TokenQueue({ ...parts, anyKey: true });
        functions.set(functionName, queue);
        return queue;
      },
      functions,
    );
  };
  const [queue, other] = [openProcess(), openProcess()];
  return {
    queue,
    other,
    clock,
    tick: async () => {
      const all = opened.flatMap((functions) => [...functions.values()]);
      await Promise.all(all.map((each) => each.tick()));
      await clock.advance(0);
    },
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.all([queue, other].map((each) => each[Symbol.asyncDispose]()));
      await clock.advance(0);
      await closed;
      redis.disconnect();
    },
  };
}

function queueOf(
  ledger: TokenLedger,
  open: (functionName: string) => TokenQueue,
  functions: ReadonlyMap<string, TokenQueue>,
): Queue {
  return {
    enqueue: async (name, entries) => {
      const queue = open(checkFunctionName(name));
      checkEntries(entries);
      await queue.enqueue(entries);
    },
    work: async (name, options, run) => open(checkFunctionName(name)).work(options, run),
    depth: async (name) => ledger.depth(checkFunctionName(name)),
    dead: async (name) => ledger.dead(checkFunctionName(name)),
    ...readerOf(ledger),
    epoch: async (name) => ledger.epoch(checkFunctionName(name)),
    pause: async (name) => open(checkFunctionName(name)).pause(true),
    resume: async (name) => open(checkFunctionName(name)).pause(false),
    requeue: async (name, seen, cause) => open(checkFunctionName(name)).requeue(seen, cause),
    healthy: () => ({ ok: true }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...functions.values()].map((each) => each[Symbol.asyncDispose]()));
    },
  };
}
