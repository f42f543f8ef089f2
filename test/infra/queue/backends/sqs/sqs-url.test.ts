import { describe, expect, it } from "vitest";
import { redisUrlOf } from "../../../../../infra/queue/backends/open.ts";
import { parseSqsUrl } from "../../../../../infra/queue/backends/sqs/sqs-url.ts";

describe("the URL of an SQS queue", () => {
  it("names the region and the Redis of the ledger", () => {
    expect(parseSqsUrl("sqs://eu-west-1?redis=redis://127.0.0.1:6379")).toEqual({
      region: "eu-west-1",
      url: "redis://127.0.0.1:6379",
    });
  });

  it("may name an endpoint, a prefix and whether to create queues", () => {
    const redis = encodeURIComponent("rediss://capstan:a&b#c@redis.example:6379");
    const url = `sqs://us-east-1?redis=${redis}&endpoint=http://127.0.0.1:4566&prefix=own-&createQueues=false`;
    expect(parseSqsUrl(url)).toEqual({
      region: "us-east-1",
      url: "rediss://capstan:a&b#c@redis.example:6379",
      endpoint: "http://127.0.0.1:4566",
      prefix: "own-",
      createQueues: false,
    });
  });

  it.each([
    ["sqs://eu-west-1", "parameter redis is missing"],
    ["sqs://eu-west-1?redis=http://:hunter2@x", "parameter redis must be a redis:// or rediss:// URL"],
    ["sqs://eu-west-1?redis=redis://x&endpoint=x", "parameter endpoint must be an http:// or https:// URL"],
    ["sqs://eu-west-1?redis=redis://x&createQueues=yes", "parameter createQueues"],
    ["sqs://eu-west-1?redis=redis://:hunter2@x&queues=1", "parameter queues is unknown"],
    ["sqs://eu-west-1?redis=redis://x&redis=redis://y", "parameter redis is given twice"],
    ["sqs://?redis=redis://x", "not an SQS queue"],
    ["sqs", "not an SQS queue"],
  ])("%s is refused", (url, why) => {
    expect(() => parseSqsUrl(url)).toThrow(why);
    expect(() => parseSqsUrl(url)).toThrow("expected sqs://REGION?redis=redis://HOST:PORT");
    expect(() => parseSqsUrl(url)).not.toThrow("hunter2");
  });

  it("leads to the Redis of every shared queue", () => {
    expect(redisUrlOf("sqs://eu-west-1?redis=redis://127.0.0.1:1")).toBe("redis://127.0.0.1:1");
    expect(redisUrlOf("redis://127.0.0.1:2")).toBe("redis://127.0.0.1:2");
    expect(redisUrlOf("memory")).toBeUndefined();
    expect(() => redisUrlOf("reds://:hunter2@127.0.0.1")).toThrow(
      "--queue is not a queue; use memory, a URL",
    );
    expect(() => redisUrlOf("reds://:hunter2@127.0.0.1")).not.toThrow("hunter2");
  });
});
