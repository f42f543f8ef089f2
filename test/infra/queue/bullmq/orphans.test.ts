import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createBullmqTransport } from "../../../../infra/queue/bullmq/bullmq-transport.ts";
import type { Transport } from "../../../../infra/queue/tokens/token-transport.ts";
import { virtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { redisMissing, startRedis } from "../../../support/processes/redis-server.ts";
import { describeWith } from "../../../support/requires.ts";
import { silentLog } from "../../../support/silent-log.ts";

const MINUTE = 60_000;
const ORPHAN = "{cap:f}:run:77";

describeWith(redisMissing())("R-05: jobs without a place in any list", () => {
  let opened: AsyncDisposableStack;
  let redis: Redis;
  beforeAll(async () => {
    opened = new AsyncDisposableStack();
    const server = opened.use(await startRedis());
    redis = opened.adopt(new Redis(server.url), (connection) => connection.disconnect());
  });
  afterAll(() => opened.disposeAsync());

  const plant = () => redis.hset(ORPHAN, { name: "r", data: '{"k":"a","s":"1"}', opts: "{}" });
  const isGone = async (): Promise<boolean> => (await redis.exists(ORPHAN)) === 0;
  const open = (clock: ReturnType<typeof virtualClock>): Promise<Transport> =>
    createBullmqTransport({ functionName: "f", producer: redis, worker: redis, clock, log: silentLog });

  it("go when a process opens the queue, and every minute while it lives; others stay", async () => {
    const clock = virtualClock();
    await plant();
    const transport = await open(clock);
    await transport.send([{ key: "a", seq: "1", class: "live" }]);
    await eventually(isGone, { withinMs: 10_000 });
    for (let minute = 0; minute < 2; minute += 1) {
      await eventually(() => clock.pending === 1, { withinMs: 10_000 });
      // As another process with its own clock would find it half a minute later.
      await redis.del("{cap:f}:t:reaped");
      await plant();
      await clock.advance(MINUTE - 1);
      expect(await isGone()).toBe(false);
      await clock.advance(1);
      await eventually(isGone, { withinMs: 10_000 });
    }
    expect(await redis.llen("{cap:f}:run:wait")).toBe(1);
    expect(await redis.exists("{cap:f}:run:1")).toBe(1);
    await eventually(() => clock.pending === 1, { withinMs: 10_000 });
    await transport.close();
    expect(clock.pending).toBe(0);
  });
});
