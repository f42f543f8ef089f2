import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { sharedQueue } from "../../../infra/cli/queue-options.ts";
import type { QueueFlags } from "../../../infra/queue/backends/queue-source.ts";
import { silentLog } from "../../support/silent-log.ts";
import { testFolder } from "../../support/test-folder.ts";

const urlOf = (flags: QueueFlags, command = "relay") => sharedQueue(flags, command, silentLog).url;

describe("the queue of a process", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("is that of the option before that of the environment, and not in memory", () => {
    vi.stubEnv("CAPSTAN_QUEUE", "redis://127.0.0.1:2");
    expect(urlOf({ queue: "redis://127.0.0.1:1" })).toBe("redis://127.0.0.1:1");
    expect(urlOf({})).toBe("redis://127.0.0.1:2");
    expect(() => urlOf({ queue: "memory" })).toThrow(
      "the queue of capstan relay must be one that other processes reach",
    );
    vi.stubEnv("CAPSTAN_QUEUE", undefined);
    expect(() => urlOf({}, "worker")).toThrow("add --queue redis://HOST:PORT");
  });

  it("is in a file, by option or environment, and named once", async () => {
    const dir = testFolder("queue-options");
    const queueFile = join(dir, "url");
    await writeFile(queueFile, "redis://127.0.0.1:3\n");
    expect(urlOf({ queueFile })).toBe("redis://127.0.0.1:3");
    expect(() => urlOf({ queueFile, queue: "redis://127.0.0.1:1" })).toThrow(
      "--queue and --queue-file both name a queue; give one of them",
    );
    vi.stubEnv("CAPSTAN_QUEUE_FILE", queueFile);
    expect(urlOf({})).toBe("redis://127.0.0.1:3");
    expect(urlOf({ queue: "redis://127.0.0.1:1" })).toBe("redis://127.0.0.1:1");
    vi.stubEnv("CAPSTAN_QUEUE", "redis://127.0.0.1:2");
    expect(() => urlOf({})).toThrow("CAPSTAN_QUEUE and CAPSTAN_QUEUE_FILE both name a queue");
  });
});
