import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RedisServer, redisMissing, startRedis } from "../../support/processes/redis-server.ts";
import { spawnChild } from "../../support/processes/spawn-child.ts";
import { describeWith } from "../../support/requires.ts";

const WORKER = new URL("../../support/processes/stray-worker.ts", import.meta.url).pathname;
const keyOf = (name: string): string => `default/-|Widget|default/${name}`;

/** Returns the output of `stray-worker.ts`: the result on standard output, log lines on standard error. */
async function runWorker(url: string) {
  const child = spawnChild(process.execPath, [WORKER, url], { stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => {
    output.stdout += chunk.toString();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, ...output };
}

async function expectSurvival(url: string): Promise<void> {
  const { code, stdout, stderr } = await runWorker(url);
  expect(stderr).not.toContain("c4n4ry");
  expect(code).toBe(0);
  const { dead, counted, fine } = JSON.parse(stdout);
  expect(dead.toSorted()).toEqual([
    `${keyOf("microtask")} thrown by microtask`,
    `${keyOf("promise")} thrown by promise`,
    `${keyOf("timer")} thrown by timer, password=hmac-sha256:*`,
  ]);
  expect(counted.toSorted()).toEqual(["other", ...Array(4).fill("widget-stray")]);
  expect(fine).toBe("idle");
  const lines = stderr.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  const line = (message: string) => lines.find(({ error }) => error?.message.includes(message));
  expect(line("thrown by promise")).toMatchObject({
    function: "widget-stray",
    key: keyOf("promise"),
    run: expect.stringMatching(/^\w+$/),
    msg: expect.stringContaining("the key fails"),
  });
  expect(line("thrown late")).toMatchObject({ msg: expect.stringContaining("after its end") });
  expect(line("thrown by a timer of no run")).toMatchObject({
    msg: expect.stringContaining("no run has thrown"),
  });
}

describe("a step that leaves a timer behind which throws", () => {
  it("fails its key and ends neither its worker nor other keys", () => expectSurvival("memory"));
});

describeWith(redisMissing())("a step that leaves a timer behind which throws, on Redis", () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  it("fails its key and ends neither its worker nor other keys", () => expectSurvival(redis.url));
});
