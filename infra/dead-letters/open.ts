import { homedir } from "node:os";
import { join } from "node:path";
import type { DeadLetters } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";

export interface OpenOptions {
  /** `memory` or a Redis URL; absent: a file. */
  readonly queue?: string | undefined;
  /** A file wins over the queue. */
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
  const { queue, file, clock, log, writer } = options;
  if (file === undefined && queue !== undefined && queue !== "memory") {
    const { createRedisDeadLetters } = await import("./redis.ts");
    return createRedisDeadLetters({ url: queue, clock, log });
  }
  const { createJsonLinesDeadLetters } = await import("./json-lines.ts");
  return createJsonLinesDeadLetters({ file: file ?? defaultLetterFile(), clock, log, compact: writer });
}
