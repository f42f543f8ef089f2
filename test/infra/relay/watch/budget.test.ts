import { describe, expect, it } from "vitest";
import { createBudget, type Spent } from "../../../../infra/relay/watch/budget.ts";
import { virtualClock } from "../../../support/clock.ts";

const MB = 1_000_000;

/** How long a payment holds up its payer, in ms. */
async function paying(spend: readonly Spent[], idleMs = 0): Promise<number> {
  const clock = virtualClock();
  const budget = createBudget(clock);
  const { signal } = new AbortController();
  await clock.advance(idleMs);
  const startedAt = clock.now().getTime();
  let done = false;
  const all = (async () => {
    for (const each of spend) await budget.spend(each, signal);
    done = true;
  })();
  while (!done) await clock.advance(done ? 0 : 100);
  await all;
  return clock.now().getTime() - startedAt;
}

describe("the budget of a server (KR-20)", () => {
  it("KR-20: lets 64 MB pass at once and 2 MB/s from then on", async () => {
    expect(await paying(Array(63).fill({ bytes: MB }))).toBeLessThanOrEqual(100);
    const tenSeconds = await paying([...Array(64).fill({ bytes: MB }), ...Array(20).fill({ bytes: MB })]);
    expect(tenSeconds).toBeGreaterThanOrEqual(10_000);
    expect(tenSeconds).toBeLessThan(10_300);
  });

  it("KR-20: is not saved up beyond the burst", async () => {
    expect(await paying([{ bytes: 70 * MB }], 3_600_000)).toBeGreaterThanOrEqual(3_000);
  });

  it("KR-20: lets 32,000 events pass at once and 1,000 a second from then on", async () => {
    expect(await paying([{ events: 32_000 }])).toBeLessThanOrEqual(100);
    expect(await paying([{ events: 34_000 }])).toBeGreaterThanOrEqual(2_000);
  });

  it("KR-20: makes single bytes cost what reading them costs", async () => {
    expect(await paying(Array(400_000).fill({ bytes: 1 }))).toBeGreaterThanOrEqual(8_000);
  });

  it("KR-20: does not delay a loop that stops", async () => {
    const clock = virtualClock();
    const abort = new AbortController();
    const paid = createBudget(clock).spend({ bytes: 100 * MB }, abort.signal);
    abort.abort();
    await paid;
    expect(clock.pending).toBe(0);
  });
});
