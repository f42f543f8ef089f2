import { homedir } from "node:os";
import { join } from "node:path";
import type { DeadLetters } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import type { RedisAddress } from "../redis-server/connection.ts";

export interface OpenOptions {
  /** The Redis beside which they are; absent: a file. */
  readonly redis?: RedisAddress | undefined;
  /** A file wins over Redis. */
  readonly file?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** This process writes letters. */
  readonly writer: boolean;
}

export function defaultLetterFile(): string {
  return join(homedir(), ".capstan", "dead-letters.jsonl");
}

/** The dead letters of a queue: on its Redis, or in a file (`~/.capstan/dead-letters.jsonl`). */
export async function openDeadLetters(options: OpenOptions): Promise<DeadLetters> {
  const { redis, file, clock, log, writer } = options;
  if (file === undefined && redis !== undefined) {
    const { createRedisDeadLetters } = await import("./redis.ts");
    return createRedisDeadLetters({ ...redis, clock, log });
  }
  const { createJsonLinesDeadLetters } = await import("./json-lines.ts");
  return createJsonLinesDeadLetters({ file: file ?? defaultLetterFile(), clock, log, compact: writer });
}
