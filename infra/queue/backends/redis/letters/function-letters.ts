import { readFile } from "node:fs/promises";
import {
  type AttemptSummary,
  type DeadLetter,
  type DeadLetterHead,
  deadLetterHeadSchema,
  headOf,
} from "../../../../../shared/runtime/letters/dead-letter.ts";
import type {
  AttemptHistory,
  Dropped,
  SeenLetter,
} from "../../../../../shared/runtime/letters/dead-letters-port.ts";
import type { Key } from "../../../../../shared/runtime/queue/key.ts";
import type { Cursor } from "../../../../platform/cursor.ts";
import { checkFunctionName } from "../../../function-name.ts";
import { decodeLetter, encodeLetter } from "../../../letters/encode-letter.ts";
import { ATTEMPTS_KEPT_MS, MAX_ATTEMPTS, MAX_LETTERS, RETENTION_MS, ROOM } from "../../../letters/limits.ts";
import { callScript } from "../server/call-script.ts";
import { HINTS_CHANNEL } from "../server/hints-channel.ts";
import { placesAfter } from "../server/places-after.ts";
import { functionTag, type RedisConnection } from "../server/shards.ts";

/** Redis holds up all other clients while it removes. */
const REMOVE_AT_ONCE = 1_000;
const HASHES = ["letters", "heads", "times"] as const;
/** A script touches these keys, and builds none of its own, as some servers forbid. */
const PARTS = [...HASHES, "order"] as const;
const PUT = "capstanDeadLetters:put";
const DROP = "capstanDeadLetters:drop";

/** Adds the scripts of `FunctionLetters` to a connection. */
export async function defineScripts(redis: RedisConnection): Promise<void> {
  for (const script of [PUT, DROP]) {
    const file = `lua/${script.slice(script.indexOf(":") + 1)}.lua`;
    const lua = await readFile(new URL(file, import.meta.url), "utf8");
    redis.defineCommand(script, { lua, numberOfKeys: PARTS.length });
  }
}

/** The letters of one function, keys `{cap:<function>}:d:*`. Throws a TypeError for a malformed name. */
export class FunctionLetters {
  readonly #redis: RedisConnection;
  readonly #prefix: string;

  constructor(redis: RedisConnection, name: string) {
    this.#redis = redis;
    this.#prefix = `${functionTag(checkFunctionName(name), redis)}:d:`;
  }

  async put(letter: DeadLetter, now: number): Promise<void> {
    const head = JSON.stringify(headOf(letter));
    const limits = [MAX_LETTERS, RETENTION_MS, ROOM];
    await this.#call(PUT, [letter.key, encodeLetter(letter), head, letter.deadSince, now, ...limits]);
  }

  /** Returns those that exist, in the order of the keys. Throws when one is damaged. */
  async get(keys: readonly Key[]): Promise<readonly DeadLetter[]> {
    const [letters, times] = await this.#valuesOf("letters", keys);
    return letters.flatMap((letter, index) =>
      letter === null ? [] : [{ ...decodeLetter(letter), times: timesOf(times[index]) }],
    );
  }

  async heads(): Promise<readonly DeadLetterHead[]> {
    const [heads, times] = await Promise.all([
      this.#redis.hgetall(this.#keyOf("heads")),
      this.#redis.hgetall(this.#keyOf("times")),
    ]);
    return Object.entries(heads).flatMap(([key, text]) => headOfText(text, times[key]) ?? []);
  }

  /** Returns the heads in the order of the keys; undefined for those without a letter. */
  async headsOf(keys: readonly string[]): Promise<readonly (DeadLetterHead | undefined)[]> {
    if (keys.length === 0) return [];
    const [heads, times] = await this.#valuesOf("heads", keys);
    return heads.map((text, index) => (text === null ? undefined : headOfText(text, times[index])));
  }

  places(from: Cursor, count: number): Promise<readonly Cursor[]> {
    return placesAfter(this.#redis, { index: this.#keyOf("order"), from, count });
  }

  /** Drops every letter that is still as it was seen. */
  async dropSeen(seen: readonly SeenLetter[]): Promise<readonly Dropped[]> {
    const letters = seen.flatMap(({ key, times, deadSince }) => [key, times, deadSince]);
    const done = (await this.#call(DROP, [HINTS_CHANNEL, this.#prefix, ...letters])) as readonly unknown[];
    const heads = await this.headsOf(seen.map(({ key }) => key));
    return seen.map(({ key }, index) => {
      if (done[index] === 1) return { key, done: true };
      const head = heads[index];
      return { key, done: false, ...(head === undefined ? {} : { head }) };
    });
  }

  /** Returns how many there were. */
  async remove(keys: readonly string[]): Promise<number> {
    let removed = 0;
    for (let start = 0; start < keys.length; start += REMOVE_AT_ONCE) {
      const part = keys.slice(start, start + REMOVE_AT_ONCE);
      const change = this.#redis.multi();
      for (const hash of HASHES) change.hdel(this.#keyOf(hash), ...part);
      const replies = await change.zrem(this.#keyOf("order"), ...part).exec();
      removed += Number(replies?.at(-1)?.[1] ?? 0);
    }
    return removed;
  }

  /** Removes those that were stored before; returns how many. */
  async expire(before: number): Promise<number> {
    return this.remove(await this.#redis.zrangebyscore(this.#keyOf("order"), "-inf", before));
  }

  async noteAttempt(key: Key, attempt: AttemptSummary): Promise<AttemptHistory> {
    const [list, first] = [`${this.#prefix}attempts:${key}`, `${this.#prefix}first:${key}`];
    const change = this.#redis.multi();
    if (attempt.failures === 1) change.del(list, first);
    change
      .rpush(list, JSON.stringify(attempt))
      .ltrim(list, -MAX_ATTEMPTS, -1)
      .set(first, attempt.start, "NX")
      .pexpire(list, ATTEMPTS_KEPT_MS)
      .pexpire(first, ATTEMPTS_KEPT_MS);
    const replies = await change.lrange(list, 0, -1).get(first).exec();
    const [texts, firstFailureAt] = (replies ?? []).slice(-2).map(([, reply]) => reply);
    return {
      firstFailureAt: typeof firstFailureAt === "string" ? firstFailureAt : attempt.start,
      attempts: (Array.isArray(texts) ? texts : []).map((text): AttemptSummary => JSON.parse(String(text))),
    };
  }

  #keyOf(part: (typeof PARTS)[number]): string {
    return `${this.#prefix}${part}`;
  }

  #call(script: string, values: readonly (string | number)[]): Promise<unknown> {
    return callScript(this.#redis, script, [...PARTS.map((part) => this.#keyOf(part)), ...values]);
  }

  #valuesOf(hash: "letters" | "heads", keys: readonly string[]) {
    return Promise.all([
      this.#redis.hmget(this.#keyOf(hash), ...keys),
      this.#redis.hmget(this.#keyOf("times"), ...keys),
    ]);
  }
}

function headOfText(text: string, times: string | null | undefined): DeadLetterHead | undefined {
  try {
    const head = deadLetterHeadSchema().safeParse(JSON.parse(text)).data;
    return head && { ...head, times: timesOf(times) };
  } catch {
    return undefined;
  }
}

/** Reads `<times> <dead since>`. */
function timesOf(text: string | null | undefined): number {
  return Math.max(1, Number.parseInt(text ?? "1", 10));
}
