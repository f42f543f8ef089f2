import { type RedisServer, startRedis } from "./redis-server.ts";

/** A primary with a replica, and three Sentinels of which two decide. */
export interface Sentinels extends AsyncDisposable {
  /** The queue by the first Sentinel. */
  readonly url: string;
  readonly primary: RedisServer;
  readonly replica: RedisServer;
}

const NAME = "capstan";

export async function startSentinels(): Promise<Sentinels> {
  await using starting = new AsyncDisposableStack();
  const primary = starting.use(await startRedis());
  const port = new URL(primary.url).port;
  const replica = starting.use(
    await startRedis([`replicaof 127.0.0.1 ${port}`, "repl-diskless-sync-delay 0"]),
  );
  const settings = [
    `sentinel monitor ${NAME} 127.0.0.1 ${port} 2`,
    `sentinel down-after-milliseconds ${NAME} 1000`,
    `sentinel failover-timeout ${NAME} 5000`,
  ];
  const sentinels: RedisServer[] = [];
  for (let count = 0; count < 3; count += 1) sentinels.push(starting.use(await startRedis(settings, true)));
  const running = starting.move();
  return {
    url: `${sentinels[0]?.url}?sentinel=${NAME}`,
    primary,
    replica,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
