import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { REDIS_CONF, redis } from "../../../../infra/deploy/manifests/redis.ts";
import { newSecrets } from "../../../../infra/deploy/manifests/secrets.ts";
import { x509 } from "../../../../infra/pki/x509.ts";
import { evictionReason } from "../../../../infra/redis/checks.ts";
import { startDeployedRedis } from "../../../support/processes/deployed-redis.ts";
import { redisMissing } from "../../../support/processes/redis-server.ts";
import { describeWith } from "../../../support/requires.ts";

describe("the Redis of a deployment", () => {
  it("D-204: takes TLS only, evicts nothing, and leaves a quarter of its memory free", () => {
    const settings = new Map(REDIS_CONF.split("\n").map((line) => line.split(" ") as [string, string]));
    expect(settings.get("port")).toBe("0");
    expect(settings.get("maxmemory-policy")).toBe("noeviction");
    expect(settings.get("appendonly")).toBe("yes");
    const limit = /"limits":\{"memory":"(\d+)Mi"\}/.exec(JSON.stringify(redis()))?.[1];
    expect(Number.parseInt(settings.get("maxmemory") ?? "", 10) / Number(limit)).toBe(0.75);
  });
});

describeWith(redisMissing())("a real Redis with these settings", () => {
  it("D-204: starts with the Secrets of `capstan secrets`, and lets a worker in", async () => {
    await using stack = new AsyncDisposableStack();
    const secrets = await newSecrets({ pki: x509, now: new Date(), redisHost: "127.0.0.1" });
    const filesOf = (secret: string) => {
      const found = secrets.find(({ metadata }) => metadata.name === secret);
      return (found?.["stringData"] ?? {}) as { readonly [file: string]: string };
    };
    const { port } = stack.use(await startDeployedRedis(REDIS_CONF, filesOf("capstan-redis")));

    const { url = "", "ca.crt": ca = "" } = filesOf("capstan-worker-queue");
    const worker = new Redis(url.replace(":6379", `:${port}`), { tls: { ca } });
    stack.defer(() => worker.disconnect());
    expect(evictionReason(await worker.info("memory"))).toBeUndefined();
  });
});
