import { SortedSet } from "./sorted-set.ts";

export type Reply = string | number | null | readonly Reply[];
export type Value = string | Map<string, string> | Set<string> | SortedSet;
type Arguments = readonly (string | number)[];
type Command = (redis: TinyRedis, key: string, args: readonly string[]) => Reply;

export interface TinyRedisOptions {
  /** Time of this server, ms since 1970. */
  readonly now: () => number;
  /** Called with every message that is published. */
  readonly onMessage?: (channel: string, message: string) => void;
  /** Called with a key before its value changes. */
  readonly onChange?: (key: string) => void;
}

/** Expired texts that may be held beside as many that have not. */
const SWEEP_FROM = 1_024;

/**
 * The data of a Redis in this process, with the commands that the scripts of the ledger use (`../redis/ledger/lua`) and those
 * that read it; any other is refused. Sets give their members in the order in which they came.
 */
export class TinyRedis {
  readonly #options: TinyRedisOptions;
  readonly #values = new Map<string, Value>();
  readonly #expiries = new Map<string, number>();
  #sweepAt = SWEEP_FROM;

  constructor(options: TinyRedisOptions) {
    this.#options = options;
  }

  call(name: string, ...args: Arguments): Reply {
    return this.run(name, args.map(String));
  }

  run(name: string, args: readonly string[]): Reply {
    const command = COMMANDS[name];
    if (command === undefined) throw new Error(`bug: no command ${name} in this process`);
    return command(this, args[0] ?? "", args.slice(1));
  }

  /** Returns all keys that begin with a text. */
  keys(prefix: string): readonly string[] {
    return [...this.#values.keys()].filter((key) => key.startsWith(prefix));
  }

  get now(): number {
    return this.#options.now();
  }

  publish(channel: string, message: string): void {
    this.#options.onMessage?.(channel, message);
  }

  text(key: string): string | undefined {
    if ((this.#expiries.get(key) ?? Infinity) <= this.now) this.delete(key);
    return this.#values.get(key) as string | undefined;
  }

  setText(key: string, text: string, expiresAt: number | undefined): void {
    this.#options.onChange?.(key);
    this.#values.set(key, text);
    if (expiresAt === undefined) this.#expiries.delete(key);
    else this.#expiries.set(key, expiresAt);
    if (this.#expiries.size < this.#sweepAt) return;
    for (const [other, at] of this.#expiries) if (at <= this.now) this.delete(other);
    this.#sweepAt = Math.max(SWEEP_FROM, 2 * this.#expiries.size);
  }

  delete(key: string): boolean {
    this.#options.onChange?.(key);
    this.#expiries.delete(key);
    return this.#values.delete(key);
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  hash(key: string): ReadonlyMap<string, string> {
    return (this.#values.get(key) as Map<string, string> | undefined) ?? NO_FIELDS;
  }

  set(key: string): ReadonlySet<string> {
    return (this.#values.get(key) as Set<string> | undefined) ?? NO_MEMBERS;
  }

  sorted(key: string): SortedSet {
    return (this.#values.get(key) as SortedSet | undefined) ?? new SortedSet();
  }

  /** Returns a copy of the value of a key, for `restore`. */
  copyOf(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value instanceof Map) return new Map(value);
    if (value instanceof Set) return new Set(value);
    return value instanceof SortedSet ? value.copy() : value;
  }

  restore(key: string, value: Value | undefined): void {
    if (value === undefined) this.delete(key);
    else this.#values.set(key, value);
  }

  /** Changes a value that is made with its first part and goes with its last. */
  change<V extends Exclude<Value, string>, R>(key: string, create: () => V, change: (value: V) => R): R {
    this.#options.onChange?.(key);
    const value = (this.#values.get(key) as V | undefined) ?? create();
    const result = change(value);
    if (value.size === 0) this.#values.delete(key);
    else this.#values.set(key, value);
    return result;
  }
}

const NO_FIELDS: ReadonlyMap<string, string> = new Map();
const NO_MEMBERS: ReadonlySet<string> = new Set();
const newHash = (): Map<string, string> => new Map();
const newSet = (): Set<string> => new Set();
const newSorted = (): SortedSet => new SortedSet();

const COMMANDS: Readonly<Record<string, Command>> = {
  TIME: ({ now }) => {
    const seconds = Math.floor(now / 1_000);
    return [String(seconds), String(Math.floor((now - seconds * 1_000) * 1_000))];
  },
  PUBLISH: (redis, channel, [message = ""]) => {
    redis.publish(channel, message);
    return 0;
  },

  GET: (redis, key) => redis.text(key) ?? null,
  SET: (redis, key, [text = "", px, ms, nx]) => {
    if (nx === "NX" && redis.text(key) !== undefined) return null;
    redis.setText(key, text, px === "PX" ? redis.now + Number(ms) : undefined);
    return "OK";
  },
  DEL: (redis, key, others) => count([key, ...others], (each) => redis.delete(each)),
  EXISTS: (redis, key) => Number(redis.has(key)),

  HGET: (redis, key, [field = ""]) => redis.hash(key).get(field) ?? null,
  HMGET: (redis, key, fields) => {
    const hash = redis.hash(key);
    return fields.map((field) => hash.get(field) ?? null);
  },
  HGETALL: (redis, key) => [...redis.hash(key)].flat(),
  HLEN: (redis, key) => redis.hash(key).size,
  HEXISTS: (redis, key, [field = ""]) => Number(redis.hash(key).has(field)),
  HSET: (redis, key, fields) =>
    redis.change(key, newHash, (hash) => {
      const before = hash.size;
      for (let at = 0; at < fields.length; at += 2) hash.set(fields[at] ?? "", fields[at + 1] ?? "");
      return hash.size - before;
    }),
  HDEL: (redis, key, fields) =>
    redis.change(key, newHash, (hash) => count(fields, (field) => hash.delete(field))),
  HINCRBY: (redis, key, [field = "", by]) =>
    redis.change(key, newHash, (hash) => {
      const sum = Number(hash.get(field) ?? 0) + Number(by);
      hash.set(field, String(sum));
      return sum;
    }),

  SADD: (redis, key, members) =>
    redis.change(key, newSet, (set) => count(members, (member) => set.size < set.add(member).size)),
  SREM: (redis, key, members) =>
    redis.change(key, newSet, (set) => count(members, (member) => set.delete(member))),
  SMEMBERS: (redis, key) => [...redis.set(key)],
  // The first ones instead of any: the same ones in every run of a simulation.
  SRANDMEMBER: (redis, key, [most]) => [...redis.set(key)].slice(0, Number(most)),

  ZADD: (redis, key, places) =>
    redis.change(key, newSorted, (sorted) => {
      let added = 0;
      for (let at = 0; at < places.length; at += 2)
        added += Number(sorted.add(places[at + 1] ?? "", Number(places[at])));
      return added;
    }),
  ZREM: (redis, key, members) =>
    redis.change(key, newSorted, (sorted) => count(members, (member) => sorted.delete(member))),
  ZCARD: (redis, key) => redis.sorted(key).size,
  ZSCORE: (redis, key, [member = ""]) => {
    const score = redis.sorted(key).scoreOf(member);
    return score === undefined ? null : String(score);
  },
  ZCOUNT: (redis, key, [min = "", max = ""]) => {
    const { from, to } = redis.sorted(key).between(min, max);
    return Math.max(0, to - from);
  },
  ZPOPMIN: (redis, key) =>
    redis.change(key, newSorted, (sorted) => {
      const [first] = sorted.range(0, 0);
      if (first === undefined) return [];
      sorted.delete(first.member);
      return [first.member, String(first.score)];
    }),
  ZRANGE: (redis, key, [first, last, withScores]) =>
    listed(redis.sorted(key).range(Number(first), Number(last)), withScores),
  ZRANGEBYSCORE: (redis, key, [min = "", max = "", ...options]) => {
    const sorted = redis.sorted(key);
    const limit = options.indexOf("LIMIT");
    const { from, to } = sorted.between(min, max);
    const start = from + (limit < 0 ? 0 : Number(options[limit + 1]));
    const end = limit < 0 ? to : Math.min(to, start + Number(options[limit + 2]));
    return listed(sorted.slice(start, end), options[0]);
  },
};

function count(names: readonly string[], isCounted: (name: string) => boolean): number {
  return names.filter(isCounted).length;
}

function listed(places: ReturnType<SortedSet["range"]>, withScores: string | undefined): readonly string[] {
  if (withScores !== "WITHSCORES") return places.map(({ member }) => member);
  return places.flatMap(({ member, score }) => [member, String(score)]);
}
