import type { Command } from "commander";
import type { DeadLetter } from "../../shared/runtime/letters/dead-letter.ts";
import type { DeadLetters } from "../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { QueueControl } from "../../shared/runtime/queue/queue-control.ts";
import type { QueueReader } from "../../shared/runtime/queue/queue-reader.ts";
import { systemClock } from "../platform/clock.ts";
import type { Backend } from "../queue/backends/backend.ts";
import { openBackend, type QueueSource } from "../queue/backends/open.ts";
import { defaultLetterFile } from "../queue/backends/open-letter-file.ts";
import type { QueueFlags } from "../queue/backends/queue-source.ts";
import { allHeads } from "../queue/letters/all-heads.ts";
import { addQueueOptions, queueOf } from "./queue-options.ts";
import { openLog } from "./terminal/log.ts";

/** The processes that serve functions log wrong settings of a server; this one does not repeat them. */
export const QUIET = openLog("error");

/** Options that say where a command finds dead letters. */
export interface SourceOptions extends QueueFlags {
  readonly deadLetters?: string | undefined;
}

/** The queue of a command that asks about objects. */
export const SHARED_QUEUE = "the queue that relay and workers share (default: CAPSTAN_QUEUE)";

export function addSourceOptions(
  command: Command,
  about = "the queue they belong to (default: CAPSTAN_QUEUE, else memory)",
): Command {
  return addQueueOptions(command, about).option(
    "--dead-letters <file>",
    "their file (default: on the queue; memory: ~/.capstan/dead-letters.jsonl)",
  );
}

/** Dead letters, and the queue when it can be reached from another process. */
export interface LetterSource extends AsyncDisposable {
  /** Name of the source in the message that it is empty. */
  readonly where: string;
  readonly backend: Backend;
  readonly deadLetters: DeadLetters;
  readonly queue: (QueueReader & QueueControl) | undefined;
  readonly clock: Clock;
  /** Audit log of which user did what (S-42): JSON lines on standard error. */
  readonly log: Log;
}

export async function openSource(
  options: SourceOptions,
  source: QueueSource = queueOf(options, QUIET),
): Promise<LetterSource> {
  await using opening = new AsyncDisposableStack();
  const clock = systemClock;
  const backend = await openBackend(source);
  const place = { file: options.deadLetters, writer: false };
  const deadLetters = opening.use(await backend.letters({ ...place, clock, log: QUIET }));
  const queue = backend.capabilities.isShared ? opening.use(await backend.ledger({ log: QUIET })) : undefined;
  const opened = opening.move();
  return {
    where: whereOf(backend, options.deadLetters),
    backend,
    deadLetters,
    queue,
    clock,
    log: openLog("info"),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Names the place, never with the URL: it may contain a password. */
function whereOf({ capabilities }: Backend, file: string | undefined): string {
  if (file !== undefined) return `in ${file}`;
  return capabilities.keepsLetters
    ? "on this queue"
    : `in ${defaultLetterFile()}; with a shared queue add --queue URL`;
}

/**
 * Returns the key that `text` means: all of it, or the end of exactly one of `keys` (`default/p1`). Throws
 * with the candidates otherwise.
 */
export function pickKey(keys: readonly string[], text: string, functionName: string): string {
  if (keys.includes(text)) return text;
  const found = keys.filter((key) => key.endsWith(`|${text}`));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (found.length > 1)
    throw new Error(`${text} may be ${found.slice(0, 5).join(" or ")}; name the whole key`);
  throw new Error(
    `${functionName} has no dead letter of ${text.slice(0, 120)}; see capstan dlq list ${functionName}`,
  );
}

const MAX_SHOWN = 20;

/** Returns a line for each of the first keys, and the number of further ones. */
export function someOf(keys: readonly string[], lineOf: (key: string) => string): readonly string[] {
  const more = keys.length - MAX_SHOWN;
  return more > 0 ? [...keys.slice(0, MAX_SHOWN).map(lineOf), `and ${more} more`] : keys.map(lineOf);
}

/** Throws when there is none, or when what is stored is damaged. */
export async function letterNamed(
  { deadLetters }: LetterSource,
  functionName: string,
  text: string,
): Promise<DeadLetter> {
  const heads = await allHeads(deadLetters, { function: functionName });
  const key = pickKey(
    heads.map((head) => head.key),
    text,
    functionName,
  );
  const letter = await deadLetters.get({ function: functionName, key });
  if (letter === undefined) throw new Error(`the dead letter of ${key} has just been dropped`);
  return letter;
}
