import { type Cluster, type Command, Redis } from "ioredis";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import { messageOf } from "../../../../../shared/function/errors.ts";
import type { Log } from "../../../../../shared/runtime/ports.ts";
import {
  type AcceptedRisk,
  checkRedisUrl,
  isReplica,
  nodesOfShards,
  refuseEviction,
  withAdvice,
} from "./checks.ts";
import { connectCluster, duplicatePatiently, endCluster, followCluster } from "./cluster.ts";
import { type DataFormats, refuseFormat } from "./data-format.ts";
import { PrimaryConnector } from "./primary-connector.ts";
import { isCluster, type RedisConnection, serversOf } from "./shards.ts";

const CONNECT_TIMEOUT_MS = 5 * SECOND;
const COMMAND_TIMEOUT_MS = 10 * SECOND;
/** A server that takes commands and does not answer is away. Longer than BullMQ's blocking reads, of at most 10 s. */
const SILENCE_MS = 15 * SECOND;
const LONGEST_RECONNECT_MS = 2 * SECOND;
const LOOK_AT_ROLE_EVERY_MS = 5 * SECOND;
/** Answers of a server that is not the primary any more; in an older Redis within the error of a script. */
const NO_PRIMARY = /(?:^|-)(?:READONLY|MOVED) /;

/** How to reach a Redis server. */
export interface RedisAddress extends AcceptedRisk {
  /** `redis://` or `rediss://`, with user and password where the server wants them. */
  readonly url: string;
  /** Authorities of a `rediss://` server in PEM. Default: those of Node.js. */
  readonly ca?: string | undefined;
  /** Returns the address as it is now, for the next connection: the password may have changed. Never throws. */
  readonly newest?: (() => Pick<RedisAddress, "url" | "ca">) | undefined;
  /** All connections of a process to this address, which leave a server that refuses writes together. */
  readonly connections?: Set<Redis> | undefined;
}

export interface RedisTarget extends RedisAddress {
  readonly log: Log;
  /** The formats of data of this version; others in tests. */
  readonly formats?: DataFormats | undefined;
}

/** Returns the same target, whose connections are known. */
export function withConnections<T extends RedisTarget>(target: T): T & { readonly connections: Set<Redis> } {
  return { ...target, connections: target.connections ?? new Set() };
}

/**
 * Connects, checks that the server is safe (S-23), and reconnects after each outage, with one log line per outage; of a
 * Redis Cluster of several shards, the watch of each logs (`watchRedis`). Commands reject while the server is away. Throws
 * when the URL is malformed, or the server does not answer, may evict keys, or holds data that this version cannot read;
 * never shows the password.
 */
export async function connectRedis(target: RedisTarget): Promise<RedisConnection> {
  let nodes: readonly string[] | undefined;
  const redis = await connectServer(target, true, async (server) => {
    nodes = await nodesOfShards(server);
    if (nodes !== undefined) return;
    await Promise.all([refuseEviction(server, target), refuseFormat(server, target.formats)]);
  });
  if (nodes === undefined) return redis;
  await endConnection(redis);
  const { shown } = checkRedisUrl(target.url);
  const cluster = await connectCluster({ nodes, options: redis.options }, target.newest);
  try {
    await refuseFormat(cluster, target.formats);
    await Promise.all(serversOf(cluster).map((node) => refuseShard(node, target)));
  } catch (error) {
    await endCluster(cluster);
    throw new Error(`cannot use Redis at ${shown}: ${withAdvice(reasonOf(error))}`);
  }
  speakPlainly(cluster, (command) => shardUrl(shown, cluster.slots[command.getSlot() ?? 0]?.[0] ?? ""));
  return cluster;
}

async function refuseShard(node: Redis, target: RedisTarget): Promise<void> {
  await refuseEviction(node, target).catch((error: unknown) => {
    throw new Error(`shard ${node.options.host}:${node.options.port}: ${reasonOf(error)}`);
  });
}

/** Connects to the primary of one shard, `host:port`, of the Redis Cluster at a target. */
export async function connectShard(target: RedisTarget, node: string): Promise<Redis> {
  const { connections: _, ...rest } = target;
  return connectServer({ ...rest, url: shardUrl(target.url, node) }, false, (server) =>
    refuseEviction(server, target),
  );
}

/** Returns the URL of one node of a cluster. */
export function shardUrl(url: string, node: string): string {
  const { protocol, username, password, pathname } = new URL(url);
  const user = username === "" && password === "" ? "" : `${username}:${password}@`;
  return `${protocol}//${user}${node}${pathname}`;
}

async function connectServer(
  target: RedisTarget,
  anyNode: boolean,
  check: (redis: Redis) => Promise<void>,
): Promise<Redis> {
  const { url, ca, newest, connections, log } = target;
  const { shown } = checkRedisUrl(url);
  const redis = new Redis(url, {
    ...(ca === undefined ? {} : { tls: { ca } }),
    ...{ anyNode },
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    Connector: PrimaryConnector,
    reconnectOnError: isNoPrimary,
    retryStrategy: (times) => Math.min(LONGEST_RECONNECT_MS, 50 * 2 ** Math.min(times, 10)),
  });
  let lastError: Error | undefined;
  const note = (error: Error): void => {
    lastError = error;
  };
  redis.on("error", note);
  try {
    await redis.connect();
    await check(redis);
    Object.assign(redis.options, { anyNode: false });
  } catch (error) {
    redis.disconnect();
    // Without its cause: ioredis keeps the command in the error, which for AUTH is the password.
    throw new Error(`cannot use Redis at ${shown}: ${withAdvice(reasonOf(lastError ?? error))}`);
  }
  redis.off("error", note);
  logOutages(redis, { shown, log });
  followAddress(redis, newest);
  leaveReplica(redis);
  join(connections, redis);
  speakPlainly(redis, () => shown);
  return redis;
}

function isNoPrimary({ message }: Error): boolean {
  return NO_PRIMARY.test(message);
}

/** Leaves a server that became a replica and kept its connections: reads alone would never show it. */
function leaveReplica(redis: Redis): void {
  const look = async (): Promise<void> => {
    if (isReplica(await redis.info("replication"))) redis.disconnect(true);
  };
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_AT_ROLE_EVERY_MS);
  redis.once("end", () => clearInterval(timer));
}

function join(connections: Set<Redis> | undefined, redis: Redis): void {
  connections?.add(redis);
  redis.once("end", () => connections?.delete(redis));
}

/** Beginnings of the errors of ioredis about a server that is away, in words about its own streams, queues and options. */
const AWAY =
  /^(Stream isn't writeable|Connection is closed|Reached the max retries|Command timed out|Socket timeout|Too many Cluster redirections|Cluster isn't ready|CLUSTERDOWN)/;

/**
 * Lets commands to a server that is away reject with a sentence for people: it reaches pages, logs and terminals.
 * BullMQ, which looks for ioredis' own sentences, has connections of its own.
 */
function speakPlainly(redis: RedisConnection, shownFor: (command: Command) => string): void {
  const send: Cluster["sendCommand"] = redis.sendCommand.bind(redis);
  redis.sendCommand = (...[command, stream, node]: Parameters<Cluster["sendCommand"]>) => {
    const reject = command.reject.bind(command);
    command.reject = (error: Error) =>
      reject(AWAY.test(error.message) ? new RedisAwayError(shownFor(command)) : error);
    return send(command, stream, node);
  };
}

class RedisAwayError extends Error {
  constructor(shown: string) {
    super(`Redis at ${shown} does not answer`);
    this.name = "RedisAwayError";
  }
}

/** Takes user, password and authorities as they are now before each new connection. */
function followAddress(redis: Redis, newest: RedisAddress["newest"]): void {
  if (newest === undefined) return;
  redis.on("reconnecting", () => {
    const { url, ca } = newest();
    const { username, password } = new URL(url);
    redis.options.username = decodeURIComponent(username);
    redis.options.password = decodeURIComponent(password);
    if (ca !== undefined) redis.options.tls = { ca };
  });
}

/**
 * Opens a second connection to the same server whose commands wait for its return: for work that is already claimed.
 */
export function connectPatiently(
  redis: RedisConnection,
  address: Pick<RedisAddress, "newest" | "connections"> = {},
): PatientConnection {
  const all: RedisConnection[] = [];
  const prepare = (connection: RedisConnection): void => {
    all.push(connection);
    // The first connection logs for all.
    connection.on("error", () => undefined);
    if (isCluster(connection)) {
      followCluster(connection, address.newest);
      return;
    }
    followAddress(connection, address.newest);
    join(address.connections, connection);
  };
  const patient = isCluster(redis) ? duplicatePatiently(redis) : duplicateServer(redis);
  prepare(patient);
  // BullMQ duplicates it for blocking reads, and loses such a connection when it closes during an outage.
  const duplicate = patient.duplicate.bind(patient) as (...args: readonly unknown[]) => RedisConnection;
  Object.assign(patient, {
    duplicate: (...args: unknown[]) => {
      const copy = duplicate(...args);
      prepare(copy);
      return copy;
    },
  });
  return {
    redis: patient,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(all.map(endConnection));
    },
  };
}

function duplicateServer(redis: Redis): Redis {
  return redis.duplicate({
    lazyConnect: false,
    enableOfflineQueue: true,
    maxRetriesPerRequest: null,
    commandTimeout: undefined,
    // Nothing was done: the command waits for the primary.
    reconnectOnError: (error: Error) => (isNoPrimary(error) ? 2 : false),
  });
}

export interface PatientConnection extends AsyncDisposable {
  readonly redis: RedisConnection;
}

/** Ends a connection in any state; commands that wait for an answer reject. Takes at most one attempt to connect. */
export async function endConnection(redis: RedisConnection): Promise<void> {
  if (isCluster(redis)) return endCluster(redis);
  if (redis.status === "end") return;
  const ended = new Promise<void>((resolve) => redis.once("end", resolve));
  if (redis.status === "reconnecting") {
    // Without a socket, ioredis' disconnect only forgets its timer and leaves all commands waiting for ever. BullMQ
    // may have called it, so that no attempt will come: one more attempt ends the connection in any case.
    redis.options.retryStrategy = () => null;
    redis.once("connect", () => redis.disconnect());
    redis.disconnect();
    redis.connect().catch(() => undefined);
  } else {
    redis.disconnect();
  }
  await ended;
}

function logOutages(redis: Redis, { shown, log }: { readonly shown: string; readonly log: Log }): void {
  let away = false;
  let refused = false;
  const warn = (error: string | undefined): void => {
    if (!away) log.warn({ redis: shown, error }, "Redis is unreachable; work waits");
    away = true;
  };
  redis.on("error", (error: Error) => {
    const refusal = refusalIn(error);
    if (refusal === undefined) return warn(reasonOf(error));
    if (!refused) log.warn({ redis: shown, error: refusal }, "Redis refuses the connection; work waits");
    refused = away = true;
  });
  // A server that stops in order ends the connection without an error.
  redis.on("reconnecting", () => warn(undefined));
  redis.on("ready", () => {
    if (away) log.info({ redis: shown }, "Redis is back");
    refused = away = false;
  });
}

/** Returns the answer of a server that refuses a connection, for example its password; undefined for other errors. */
export function refusalIn(error: Error): string | undefined {
  return error.name === "ReplyError" ? withAdvice(error.message) : undefined;
}

/** Returns the text of an error: errors of several addresses come as an AggregateError without a message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "") return AWAY.test(error.message) ? "it does not answer" : error.message;
  const parts = error instanceof AggregateError ? error.errors : [];
  const texts = parts.map(messageOf);
  return texts.length > 0 ? texts.join(", ") : error.name;
}
