import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { createBullmqQueue } from "../../../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { connectRedis } from "../../../../../../infra/queue/backends/redis/server/connection.ts";
import { DEFAULT_QUEUE } from "../../../../../../shared/function/backoff.ts";
import { OK } from "../../../../../suites/queue-world.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { redisMissing } from "../../../../../support/processes/redis-server.ts";
import { startSentinels } from "../../../../../support/processes/sentinels.ts";
import { describeWith } from "../../../../../support/requires.ts";
import { silentLog } from "../../../../../support/silent-log.ts";

const WITHIN = { withinMs: 120_000, stepMs: 50 };
const FUNCTION = "widget-grow";
const KEYS = Array.from({ length: 200 }, (_, n) => `a/-|Widget|a/w${n}`);

describeWith(redisMissing())("a Redis behind Sentinels", () => {
  it("Q-15, Q-33: after a failover under load the queue is at the new primary, in another epoch, and runs every key", async () => {
    await using sentinels = await startSentinels();
    const target = { url: sentinels.url, log: silentLog };
    await using sender = await createBullmqQueue(target);
    await using worker = await createBullmqQueue(target);
    const seen = new Set<string>();
    await worker.work(FUNCTION, { ...DEFAULT_QUEUE, owner: "w" }, async ({ key }) => {
      seen.add(key);
      return OK;
    });
    const epoch = await sender.epoch(FUNCTION);
    let sends = true;
    let sent = 0;
    const sending = (async () => {
      for (; sends; sent += 1) {
        const entry = { key: KEYS[sent % KEYS.length] ?? "", priority: "live" } as const;
        // The senders of events try again.
        await sender.enqueue(FUNCTION, [entry]).catch(() => setTimeout(50));
      }
    })();
    await eventually(() => expect(seen.size).toBe(KEYS.length), WITHIN);

    await sentinels.primary.kill();
    await eventually(() => expect(sender.healthy().ok).toBe(false), WITHIN);
    await eventually(async () => {
      expect(sender.healthy().ok).toBe(true);
      expect(await sender.epoch(FUNCTION)).not.toBe(epoch);
    }, WITHIN);
    sends = false;
    await sending;
    // As a relay does after another epoch.
    seen.clear();
    await sender.enqueue(
      FUNCTION,
      KEYS.map((key) => ({ key, priority: "resync" })),
    );
    await eventually(() => expect(seen.size).toBe(KEYS.length), WITHIN);
    expect(await sender.dead(FUNCTION)).toEqual([]);
  });

  it("names a Sentinel to which the primary is unknown", async () => {
    await using sentinels = await startSentinels();
    const url = sentinels.url.replace("=capstan", "=other");
    await expect(connectRedis({ url, log: silentLog })).rejects.toThrow(
      /cannot use Redis at redis:\/\/127.*: the Sentinel at 127\S+ does not know a primary named other/,
    );
  });
});
