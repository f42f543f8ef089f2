import { setImmediate } from "node:timers/promises";
import type { Redis } from "ioredis";
import { type VirtualClock, virtualClock } from "./clock.ts";

const TIME_KEY = "capstan-test-time";

/** Expressions that the scripts of the ledger replace when they are loaded for tests. */
const REPLACED: readonly (readonly [of: RegExp, by: string])[] = [
  // The only place that asks for the time.
  [/call\('TIME'\)/g, `call('HMGET', '${TIME_KEY}', 'seconds', 'microseconds')`],
  // By the time of the server, whose memory it saves; what has expired says so itself.
  [/, 'PX', [^()]*\)/g, ")"],
];
const [TIME] = REPLACED;

/**
 * From here on scripts are loaded on this connection with time from a virtual clock instead of the server's.
 * The product knows nothing of it: its scripts have no such switch. Throws when a script asks for the time other than
 * in the one place.
 */
export function putScriptsOnTestTime(redis: Redis): VirtualClock {
  const define = redis.defineCommand.bind(redis);
  redis.defineCommand = (name, definition) => {
    const { lua } = definition;
    if (TIME === undefined || [...lua.matchAll(TIME[0])].length !== 1)
      throw new Error(`script ${name} does not read the time in one place; adapt this file`);
    define(name, { ...definition, lua: REPLACED.reduce((text, [of, by]) => text.replace(of, by), lua) });
  };
  let underWay = 0;
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    underWay += 1;
    const done = (): void => {
      underWay -= 1;
    };
    command.promise.then(done, done);
    return send(command, stream);
  };
  return virtualClock({
    // On the same connection as the scripts: it arrives before them.
    onInstant: (nowMs) => {
      const seconds = Math.floor(nowMs / 1_000);
      void redis.hset(TIME_KEY, { seconds, microseconds: Math.round((nowMs % 1_000) * 1_000) });
    },
    settle: async () => {
      for (let quiet = 0; quiet < 3; quiet = underWay === 0 ? quiet + 1 : 0) await setImmediate();
    },
  });
}
