import type { Queue } from "../../shared/runtime/queue-port.ts";
import { checkFunctionName } from "./function-name.ts";
import type { RedisHealth } from "./redis-health.ts";
import type { TokenLedger } from "./token-ledger.ts";
import type { TokenQueue } from "./token-queue.ts";

export interface FunctionQueuesParts {
  readonly ledger: TokenLedger;
  readonly health: RedisHealth;
  readonly create: (functionName: string) => TokenQueue | Promise<TokenQueue>;
  /** After every TokenQueue has ended; called once. */
  readonly close: () => Promise<void>;
}

/** A queue of one TokenQueue per function, opened when it is first used; the same for every transport. */
export function functionQueues({ ledger, health, create, close }: FunctionQueuesParts): Queue {
  const functions = new Map<string, Promise<TokenQueue>>();
  let closed: Promise<void> | undefined;
  const open = async (name: string): Promise<TokenQueue> => {
    if (closed !== undefined) throw new Error("the queue is closed");
    const opened = functions.get(checkFunctionName(name)) ?? Promise.resolve(create(name));
    functions.set(name, opened);
    return opened;
  };
  const end = async (): Promise<void> => {
    const opened = await Promise.all(functions.values());
    await Promise.all(opened.map((each) => each[Symbol.asyncDispose]()));
    await close();
  };
  return {
    enqueue: async (name, entries) => {
      const queue = await open(name);
      await health.watch(() => queue.enqueue(entries));
    },
    work: async (name, options, run) => (await open(name)).work(options, run),
    depth: async (name) => {
      await open(name);
      return ledger.depth(name);
    },
    dead: async (name) => ledger.dead(checkFunctionName(name)),
    epoch: async (name) => `${await ledger.epoch(checkFunctionName(name))}.${await health.generation()}`,
    pause: async (name) => (await open(name)).pause(true),
    resume: async (name) => (await open(name)).pause(false),
    healthy: () => health.healthy(),
    [Symbol.asyncDispose]: () => {
      closed ??= end();
      return closed;
    },
  };
}
