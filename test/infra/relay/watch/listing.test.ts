import { describe, expect, it } from "vitest";
import type { ServerClient } from "../../../../infra/platform/kube/verbs.ts";
import { createBudget } from "../../../../infra/relay/watch/budget.ts";
import { listAll } from "../../../../infra/relay/watch/listing.ts";
import { virtualClock } from "../../../support/clock.ts";
import { Thing, thing } from "../watching.ts";

/** A server that has one more page, and one more. */
function endless(): { readonly client: ServerClient; readonly pages: () => number } {
  let pages = 0;
  const items = Array.from({ length: 1_000 }, (_none, at) => thing(`t${at}`, "7"));
  async function* more() {
    while (pages < 200) {
      pages += 1;
      yield { items, resourceVersion: "8", first: pages === 1, bytes: 1_000_000 };
    }
  }
  return { client: { pages: more } as unknown as ServerClient, pages: () => pages };
}

const shared = {
  kind: Thing,
  signal: new AbortController().signal,
  consumer: { reduce: (object: object) => object as never },
};

describe("a list without end (KR-20)", () => {
  it("KR-20: is read at the pace of the server's budget", async () => {
    const clock = virtualClock();
    const budget = createBudget(clock, { eventsPerSecond: 1_000, burstEvents: 2_000 });
    const { client, pages } = endless();
    const listing = listAll({ ...shared, client, budget }, "pages").catch(() => undefined);
    await clock.advance(0);
    expect(pages()).toBe(3);
    await clock.advance(10_000);
    expect(pages()).toBe(13);
    await clock.advance(300_000);
    await listing;
  });

  it("KR-20: is charged to the server's budget with its unpacked bytes", async () => {
    const clock = virtualClock();
    const budget = createBudget(clock, {
      bytesPerSecond: 1_000_000,
      burstBytes: 10_000_000,
      burstEvents: 1e9,
    });
    const { client, pages } = endless();
    const listing = listAll({ ...shared, client, budget }, "pages");
    await clock.advance(0);
    expect(pages()).toBe(10);
    await clock.advance(10_000);
    expect(pages()).toBeGreaterThan(17);
    expect(pages()).toBeLessThan(23);
    await clock.advance(300_000);
    await listing;
  });
});
