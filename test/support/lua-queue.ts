import { Redis } from "ioredis";
import { checkEntries } from "../../infra/queue/check-entries.ts";
import { checkFunctionName } from "../../infra/queue/function-name.ts";
import type { LedgerLimits } from "../../infra/queue/limits.ts";
import { createRedisLedger } from "../../infra/queue/redis/redis-ledger.ts";
import { LEASE_TIMING, type LeaseTiming } from "../../infra/queue/run-lease.ts";
import { readerOf } from "../../infra/queue/tokens/reader-of.ts";
import type { Token, TokenLedger } from "../../infra/queue/tokens/token-ledger.ts";
import { TOKEN_WINDOW, TokenQueue } from "../../infra/queue/tokens/token-queue.ts";
import type { HandleToken, Transport } from "../../infra/queue/tokens/token-transport.ts";
import type { Clock } from "../../shared/runtime/ports.ts";
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

interface Worker {
  readonly handle: HandleToken;
  readonly concurrency: number;
  readonly running: Set<Promise<void>>;
}

/** As BullMQ orders them: live before resync, then by rank, then by arrival. */
class TokenHub implements Transport {
  readonly followsLedger = true;
  readonly #clock: Clock;
  readonly #tokens: Token[] = [];
  readonly #workers = new Set<Worker>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async send(tokens: readonly Token[]): Promise<void> {
    this.#tokens.push(...tokens);
    this.#deliver();
  }

  async receive(handle: HandleToken, concurrency: number) {
    const worker: Worker = { handle, concurrency, running: new Set() };
    this.#workers.add(worker);
    this.#deliver();
    return {
      close: async (deadlineMs: number): Promise<void> => {
        this.#workers.delete(worker);
        const late = Promise.withResolvers<void>();
        const cancel = this.#clock.after(deadlineMs, late.resolve);
        await Promise.race([Promise.all(worker.running), late.promise]);
        cancel();
      },
    };
  }

  async close(): Promise<void> {
    // Tokens outlive the processes.
  }

  #deliver(): void {
    for (const worker of this.#workers) {
      while (this.#tokens.length > 0 && worker.running.size < worker.concurrency) {
        const [token] = this.#tokens.toSorted(byUrgency);
        if (token === undefined) return;
        this.#tokens.splice(this.#tokens.indexOf(token), 1);
        const handled = worker.handle(token).finally(() => {
          worker.running.delete(handled);
          this.#deliver();
        });
        worker.running.add(handled);
      }
    }
  }
}

function byUrgency(a: Token, b: Token): number {
  const classOf = (token: Token): number => (token.class === "live" ? 0 : 1);
  return classOf(a) - classOf(b) || (a.rank ?? 0) - (b.rank ?? 0);
}
