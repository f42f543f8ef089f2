import { describe, expect, it } from "vitest";
import { keepTied } from "../../../../../../infra/queue/backends/redis/server/keep-tied.ts";
import { virtualClock } from "../../../../../support/clock.ts";

describe("the tie of a running process to its Redis", () => {
  it("Q-43: is renewed every 5 s, also after an outage, until it is disposed", async () => {
    const clock = virtualClock();
    let renewals = 0;
    const renew = async () => {
      renewals += 1;
      if (renewals === 2) throw new Error("Redis is away");
      return undefined;
    };
    const kept = keepTied({ renew }, clock);
    await clock.advance(4_999);
    expect(renewals).toBe(0);
    await clock.advance(15_001);
    expect(renewals).toBe(4);
    await kept[Symbol.asyncDispose]();
    await clock.advance(60_000);
    expect(renewals).toBe(4);
    expect(clock.pending).toBe(0);
  });

  it("Q-43: is lost, once and for all, when the Redis belongs to another cluster", async () => {
    const clock = virtualClock();
    let renewals = 0;
    const renew = async () => {
      renewals += 1;
      return "Redis belongs to another management cluster";
    };
    await using kept = keepTied({ renew }, clock);
    await clock.advance(60_000);
    await expect(kept.lost).rejects.toThrow("Redis belongs to another management cluster");
    expect(renewals).toBe(1);
  });
});
