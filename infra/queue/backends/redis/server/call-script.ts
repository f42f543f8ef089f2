import type { RedisConnection } from "./shards.ts";

/** Calls a script: `defineCommand` has added it to the connection, as a method that the types do not know. */
export async function callScript<T>(
  redis: RedisConnection,
  script: string,
  args: readonly (string | number)[],
): Promise<T> {
  const method: unknown = Reflect.get(redis, script);
  if (typeof method !== "function") throw new Error(`bug: script ${script} is not defined`);
  return Reflect.apply(method, redis, args);
}
