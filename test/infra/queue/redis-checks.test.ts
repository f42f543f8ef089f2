import { describe, expect, it } from "vitest";
import { checkRedisUrl } from "../../../infra/queue/redis-checks.ts";

describe("the check of a Redis URL (S-23)", () => {
  it("takes any Redis on loopback", () => {
    for (const host of ["127.0.0.1:6379", "localhost", "[::1]:7000", "user:secret@127.0.0.2"])
      expect(checkRedisUrl(`redis://${host}`).loopback).toBe(true);
  });

  it("wants TLS and a user beyond loopback", () => {
    expect(() => checkRedisUrl("redis://u:hunter2@redis.example:6379")).toThrow(
      "redis://u:***@redis.example:6379 is not loopback, so it needs TLS",
    );
    expect(() => checkRedisUrl("rediss://:hunter2@redis.example")).toThrow("names no user");
    expect(checkRedisUrl("rediss://capstan:hunter2@redis.example")).toEqual({
      shown: "rediss://capstan:***@redis.example",
      loopback: false,
    });
    // A name that only looks like loopback.
    expect(() => checkRedisUrl("redis://127.0.0.1.example")).toThrow("needs TLS");
  });

  it("never shows a password", () => {
    for (const url of ["http://u:hunter2@h", "redis://u:hunter2@h", "hunter2"]) {
      const error: unknown = (() => {
        try {
          return checkRedisUrl(url);
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).not.toContain("hunter2");
    }
  });
});
