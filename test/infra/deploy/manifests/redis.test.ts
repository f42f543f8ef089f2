import { describe, expect, it } from "vitest";
import { REDIS_CONF, redis } from "../../../../infra/deploy/manifests/redis.ts";

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
