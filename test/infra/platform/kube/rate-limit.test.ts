import { describe, expect, it } from "vitest";
import { createRateLimit } from "../../../../infra/platform/kube/rate-limit.ts";
import { virtualClock } from "../../../support/clock.ts";

describe("rate limit", () => {
  it("gives the burst at once and then so many turns a second (KC-09)", async () => {
    const clock = virtualClock();
    const start = clock.now().getTime();
    const limit = createRateLimit(clock, { requestsPerSecond: 10, burst: 3 });
    const at: number[] = [];
    const turns = Array.from({ length: 5 }, async () => {
      await limit.turn(start + 10_000);
      at.push(clock.now().getTime() - start);
    });
    await clock.advance(1_000);
    await Promise.all(turns);
    expect(at).toEqual([0, 0, 0, 100, 200]);
  });

  it("refuses at once what would come after the deadline", async () => {
    const clock = virtualClock();
    const start = clock.now().getTime();
    const limit = createRateLimit(clock, { requestsPerSecond: 1, burst: 1 });
    expect(await limit.turn(start)).toBe(true);
    expect(await limit.turn(start + 500)).toBe(false);
  });

  it("lets no request through during a pause", async () => {
    const clock = virtualClock();
    const start = clock.now().getTime();
    const limit = createRateLimit(clock, { requestsPerSecond: 10, burst: 10 });
    limit.pause(2_000);
    expect(await limit.turn(start + 1_000)).toBe(false);
    const turn = limit.turn(start + 5_000).then(() => clock.now().getTime() - start);
    await clock.advance(3_000);
    expect(await turn).toBe(2_000);
  });
});
