import { createRedisDeadLetters } from "../../infra/queue/backends/redis/letters/letters.ts";
import type { DeadLetters } from "../../shared/runtime/letters/dead-letters-port.ts";
import { type VirtualClock, virtualClock } from "./clock.ts";
import { silentLog } from "./silent-log.ts";

export interface TwoDeadLetters extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly deadLetters: DeadLetters;
  readonly other: DeadLetters;
}

/** The dead letters on one Redis opened twice, each with its own connection, as by two processes. */
export async function twoDeadLetters(url: string): Promise<TwoDeadLetters> {
  const clock = virtualClock();
  const open = () => createRedisDeadLetters({ url, clock, log: silentLog });
  const [deadLetters, other] = await Promise.all([open(), open()]);
  return {
    clock,
    deadLetters,
    other,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([deadLetters[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
    },
  };
}
