import type { Command } from "commander";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { DeadLetter } from "../../../shared/runtime/letters/dead-letter.ts";
import { causeOf, type QueueControl } from "../../../shared/runtime/queue/queue-control.ts";
import type { KeyRow } from "../../../shared/runtime/queue/queue-reader.ts";
import { rest } from "../../platform/rest.ts";
import { print } from "../../platform/terminal/print.ts";
import { deadKeys } from "../../queue/dead-keys.ts";
import { callerName } from "../caller-name.ts";
import {
  addSourceOptions,
  type LetterSource,
  letterNamed,
  openSource,
  pickKey,
  type SourceOptions,
  someOf,
} from "../letter-source.ts";
import { addReplayOptions, type ReplayOptions, replayLetter } from "../replay/replay.ts";
import { showProgress } from "../terminal/progress.ts";

interface DlqReplayOptions extends SourceOptions, ReplayOptions {
  readonly requeue: boolean;
  readonly all: boolean;
  readonly yes: boolean;
}

/** Keys put back per second: a function that is still broken must not be flooded. */
const REQUEUES_PER_SECOND = 10;

export function dlqReplayCommand(command: Command): Command {
  command
    .argument("<function>")
    .argument("[keys...]", "keys, or their ends such as default/demo-pool")
    .option("--requeue", "send a live event for every key: the next run reads the current objects", false)
    .option("--all", "with --requeue: every dead key of the function, the longest dead first", false)
    .option("--yes", "with --requeue: do it; without --yes, only print what would be done", false);
  return addReplayOptions(addSourceOptions(command)).action(
    async (name: string, keys: string[], options: DlqReplayOptions) => {
      await using source = await openSource(options);
      // Awaited here: the source is closed when this function ends.
      if (options.requeue) return await requeue(source, name, { ...options, keys });
      return await replayLetter(oneLetter(source, name, keys), options);
    },
  );
}

async function oneLetter(source: LetterSource, name: string, keys: readonly string[]): Promise<DeadLetter> {
  const [key] = keys;
  if (key === undefined || keys.length > 1)
    throw new Error(`name one key to replay; see capstan dlq list ${name}`);
  return letterNamed(source, name, key);
}

async function requeue(
  source: LetterSource,
  name: string,
  wanted: { readonly keys: readonly string[]; readonly all: boolean; readonly yes: boolean },
): Promise<void> {
  const { queue } = source;
  if (queue === undefined) {
    throw new Error(
      "a queue in memory can be reached by its own process only: change the object instead (kubectl annotate), or add --queue redis://HOST:PORT",
    );
  }
  const rows = await deadKeys(queue, name);
  const dead = rows.map(({ key }) => key);
  const letters = await source.deadLetters.list(name);
  if (wanted.keys.length === 0 && !wanted.all)
    throw new Error(`name the keys to put back, or use --all; see capstan dlq list ${name}`);
  const known = [...new Set([...dead, ...letters.map(({ key }) => key)])];
  const keys = wanted.all ? dead : wanted.keys.map((text) => pickKey(known, text, name));
  const isDead = new Set(dead);
  const malformed = new Set(letters.filter(({ reason }) => reason === "Malformed").map(({ key }) => key));
  const [skipped, others] = [
    keys.filter((key) => malformed.has(key)),
    keys.filter((key) => !malformed.has(key)),
  ];
  const [dying, resolved] = [
    others.filter((key) => isDead.has(key)),
    others.filter((key) => !isDead.has(key)),
  ];
  print(
    ...someOf(
      skipped,
      (key) => `skipped ${name} ${key}: the key is malformed and cannot run; drop its letter`,
    ),
    ...someOf(resolved, (key) => `resolved ${name} ${key}: the key is no longer dead`),
  );
  const chosen = new Set(dying);
  if (wanted.yes) await putBack(source, queue, { name, rows: rows.filter(({ key }) => chosen.has(key)) });
  else print(...someOf(dying, (key) => `would requeue ${name} ${key}`));
  if (keys.length === 0) print(`no key of ${name} is dead`);
  else if (!wanted.yes && dying.length > 0) print("nothing was done; add --yes to do it");
}

async function putBack(
  { log, clock }: LetterSource,
  queue: QueueControl,
  { name, rows }: { readonly name: string; readonly rows: readonly KeyRow[] },
): Promise<void> {
  const user = callerName();
  const cause = causeOf("replay", user);
  using progress = showProgress(`requeueing keys of ${name}`, rows.length);
  const requeued: string[] = [];
  const changed: string[] = [];
  for (let start = 0; start < rows.length; start += REQUEUES_PER_SECOND) {
    if (start > 0) await rest(SECOND, clock);
    const part = rows.slice(start, start + REQUEUES_PER_SECOND);
    const seen = part.map(({ key, since = new Date(0) }) => ({ key, deadSince: since }));
    const answers = await queue.requeue(name, seen, cause);
    const keys = answers.filter(({ done }) => done).map(({ key }) => key);
    requeued.push(...keys);
    changed.push(...answers.filter(({ done }) => !done).map(({ key }) => key));
    progress.clear();
    if (keys.length > 0) log.info({ user, function: name, keys }, "dead keys requeued");
    progress.advance(part.length);
  }
  progress.clear();
  print(
    ...someOf(requeued, (key) => `requeued ${name} ${key}`),
    ...someOf(changed, (key) => `changed ${name} ${key}: an event came first; nothing was done with it`),
  );
}
