import { type PeerCertificate, TLSSocket } from "node:tls";
import type { Redis } from "ioredis";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import type { Clock } from "../../../../../shared/runtime/ports.ts";
import type { QueueHealth } from "../../../../../shared/runtime/queue/queue-port.ts";
import { checkPersistence, checkRedisUrl, checkRights, PROBE } from "./checks.ts";
import { type RedisTarget, refusalIn } from "./connection.ts";
import { identifyRedis } from "./identity.ts";
import { watchServer } from "./server-watch.ts";

interface Detailed extends PeerCertificate {
  readonly issuerCertificate?: Detailed;
}

/** The shortest long outage: in a shorter one the senders retry, and nothing is lost. */
const LONG_OUTAGE_MS = 5 * SECOND;

/** The state of the server of a ledger, as one process sees it. Disposing stops the checks. */
export interface RedisHealth extends Disposable {
  healthy(): QueueHealth;
  /** Runs a send of events under a key, and notes whether its server refused them. */
  watch<T>(key: string, send: () => Promise<T>): Promise<T>;
  /**
   * Changes when data under a key may have been lost: another server process answers, an outage took longer than 5 s, events were
   * refused and are accepted again, or the server was allowed to evict data and no longer is. Equal in all processes
   * that have seen none of this.
   */
  generation(key: string): Promise<string>;
}

export interface RedisHealthOptions extends RedisTarget {
  readonly clock: Clock;
  /** Connections that leave together for a server that takes writes. */
  readonly connections: Set<Redis>;
  /** Tag of the keys by which it is tried whether the server takes writes. */
  readonly probe?: () => string;
}

/**
 * Checks the server's persistence and the user's rights, and watches the server from then on. Throws when it is unsafe
 * (S-23).
 */
export async function watchServerHealth(
  redis: Redis,
  { url, clock, log, connections, mayLoseData, probe }: RedisHealthOptions,
): Promise<RedisHealth> {
  const checked = checkRedisUrl(url);
  await checkPersistence(redis, checked, { log, mayLoseData });
  await checkRights(redis, checked, probe?.());
  let incidents = 0;
  let awayAt: number | undefined;
  const identity = await identifyRedis(redis);
  let runId = await identity(PROBE);
  const nowMs = (): number => clock.now().getTime();
  const onMended = (): void => {
    incidents += 1;
  };
  const server = watchServer(redis, { clock, log, onMended, connections, mayLoseData, probe });
  await server.look();

  let certificateEndsAt = certificateEnd(redis);
  let refusedAs: string | undefined;
  redis.on("close", () => {
    awayAt ??= nowMs();
  });
  redis.on("error", (error: Error) => {
    refusedAs = refusalIn(error);
  });
  redis.on("ready", () => {
    refusedAs = undefined;
    certificateEndsAt = certificateEnd(redis);
    if (awayAt !== undefined && nowMs() - awayAt > LONG_OUTAGE_MS) incidents += 1;
    awayAt = undefined;
  });
  const problem = (): string | undefined => {
    if (redis.status !== "ready") {
      return refusedAs === undefined ? "Redis is unreachable" : `Redis refuses the connection: ${refusedAs}`;
    }
    return server.reason === undefined ? undefined : `Redis: ${server.reason}`;
  };
  return {
    healthy: () => {
      const message = problem();
      return { ok: message === undefined, message, certificateEndsAt };
    },
    [Symbol.dispose]: () => server[Symbol.dispose](),
    watch: (_key, send) => server.watch(send),
    generation: async () => {
      runId = (await identity(PROBE)) || runId;
      return `${runId}.${incidents}`;
    },
  };
}

/** Returns when the first certificate of the chain of a connected server ends; undefined without TLS. */
function certificateEnd({ stream }: Pick<Redis, "stream">): Date | undefined {
  if (!(stream instanceof TLSSocket)) return undefined;
  const ends = chainOf(stream.getPeerCertificate(true)).map(({ valid_to }) => Date.parse(valid_to));
  return ends.length === 0 ? undefined : new Date(Math.min(...ends));
}

/** Node.js gives an authority that signs itself as its own issuer, and an empty object once the connection has ended. */
function chainOf(first: Partial<Detailed>): readonly PeerCertificate[] {
  const chain: Detailed[] = [];
  let next: Partial<Detailed> | undefined = first;
  while (next?.valid_to !== undefined && !chain.includes(next as Detailed)) {
    chain.push(next as Detailed);
    next = next.issuerCertificate;
  }
  return chain;
}
