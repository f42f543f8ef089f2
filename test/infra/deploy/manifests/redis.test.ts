import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { REDIS_CONF, redis as redisManifests } from "../../../../infra/deploy/manifests/redis.ts";
import { newSecrets } from "../../../../infra/deploy/manifests/secrets.ts";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { x509 } from "../../../../infra/platform/pki/x509.ts";
import { openQueueSource } from "../../../../infra/queue/backends/queue-source.ts";
import { evictionReason } from "../../../../infra/queue/backends/redis/server/checks.ts";
import { eventually } from "../../../support/eventually.ts";
import { startDeployedRedis } from "../../../support/processes/deployed-redis.ts";
import { redisMissing } from "../../../support/processes/redis-server.ts";
import { recordingLog } from "../../../support/recording-log.ts";
import { describeWith } from "../../../support/requires.ts";
import { openSharedQueue } from "../../../support/shared-queue.ts";
import { testFolder } from "../../../support/test-folder.ts";

const WITHIN = { withinMs: 30_000, stepMs: 50 };
const FUNCTION = "widget-grow";

describe("the Redis of a deployment", () => {
  it("takes TLS only, evicts nothing, and leaves a quarter of its memory free", () => {
    const settings = new Map(REDIS_CONF.split("\n").map((line) => line.split(" ") as [string, string]));
    expect(settings.get("port")).toBe("0");
    expect(settings.get("maxmemory-policy")).toBe("noeviction");
    expect(settings.get("appendonly")).toBe("yes");
    const limit = /"limits":\{"memory":"(\d+)Mi"\}/.exec(JSON.stringify(redisManifests()))?.[1];
    expect(Number.parseInt(settings.get("maxmemory") ?? "", 10) / Number(limit)).toBe(0.75);
  });
});

/** The Secrets of one call of `capstan secrets`, and a client's files of them. */
async function issued() {
  const secrets = await newSecrets({ pki: x509, now: new Date(), redisHost: "127.0.0.1" });
  const filesOf = (name: string) => {
    const found = secrets.find(({ metadata }) => metadata.name === name);
    return (found?.["stringData"] ?? {}) as { readonly [file: string]: string };
  };
  const clientOf = (user: string, port: number) => {
    const { url = "", "ca.crt": ca = "" } = filesOf(`capstan-${user}-queue`);
    return { url: url.replace(":6379", `:${port}`), ca };
  };
  return { redis: filesOf("capstan-redis"), clientOf };
}

/** Returns how Redis refuses a client with these credentials. */
async function refusalOf(url: string, ca: string): Promise<string> {
  const options = {
    tls: { ca },
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
  };
  const client = new Redis(url, options);
  const problems: string[] = [];
  client.on("error", (error) => problems.push(String(error)));
  await client.get("x").catch((error: unknown) => problems.push(String(error)));
  client.disconnect();
  return problems.join("\n");
}

describeWith(redisMissing())("a real Redis with these settings", () => {
  it("starts with the Secrets of `capstan secrets`, and lets a worker in", async () => {
    await using stack = new AsyncDisposableStack();
    const secrets = await issued();
    const { port } = stack.use(await startDeployedRedis(REDIS_CONF, secrets.redis));
    const { url, ca } = secrets.clientOf("worker", port);
    const worker = new Redis(url, { tls: { ca } });
    stack.defer(() => worker.disconnect());
    expect(evictionReason(await worker.info("memory"))).toBeUndefined();
  });

  it("started again with new Secrets, keeps its keys and lets those in whose files are new", async () => {
    await using stack = new AsyncDisposableStack();
    const dir = testFolder("renewed");
    const [queueFile, redisCa] = [join(dir, "url"), join(dir, "ca.crt")];
    const write = async ({ url, ca }: { readonly url: string; readonly ca: string }) => {
      await writeFile(queueFile, url);
      await writeFile(redisCa, ca);
    };
    const [first, second] = [await issued(), await issued()];
    const redis = stack.use(await startDeployedRedis(REDIS_CONF, first.redis));
    await write(first.clientOf("relay", redis.port));
    const { log } = recordingLog();
    const source = openQueueSource({ queueFile, redisCa }, log);
    const ports = { clock: systemClock, log, noteFailure: async () => undefined };
    const queue = stack.use(await openSharedQueue(source, ports));
    await queue.enqueue(FUNCTION, [{ key: "default/-|Widget|default/w", priority: "live" }]);

    await redis.renew(second.redis);
    await eventually(() => expect(queue.healthy().ok).toBe(false), WITHIN);
    await write(second.clientOf("relay", redis.port));
    await eventually(() => expect(queue.healthy()).toMatchObject({ ok: true }), WITHIN);
    expect(await queue.depth(FUNCTION)).toMatchObject({ ready: 1 });

    const { ca } = second.clientOf("relay", redis.port);
    const old = new URL(first.clientOf("relay", redis.port).url);
    for (const [credentials, problem] of [
      [`${old.username}:${old.password}@`, "WRONGPASS"],
      [`default:${old.password}@`, "WRONGPASS"],
      ["default:@", "WRONGPASS"],
      ["", "NOAUTH"],
    ] as const) {
      expect(await refusalOf(`rediss://${credentials}${old.host}`, ca), credentials).toContain(problem);
    }
  });
});
