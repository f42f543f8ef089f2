import { expect, it } from "vitest";
import { LEASE_TIMING } from "../../../../infra/queue/run-lease.ts";
import type { Change, TokenLedger } from "../../../../infra/queue/tokens/token-ledger.ts";
import { TokenQueue } from "../../../../infra/queue/tokens/token-queue.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import { virtualClock } from "../../../support/clock.ts";
import { silentLog } from "../../../support/silent-log.ts";

const NOTHING: Change = { accepted: true, tokens: [], waitMs: 10, deaths: [] };

it.each([true, false])("Q-25: ticks, unless its process is frozen between events: %s", async (ticks) => {
  const clock = virtualClock();
  let count = 0;
  const ledger: Partial<TokenLedger> = {
    enqueue: async () => NOTHING,
    tick: async () => {
      count += 1;
      return NOTHING;
    },
  };
  const transport = {
    send: async () => undefined,
    receive: () => expect.fail(),
    close: async () => undefined,
  };
  const common = { functionName: "widget-grow", transport, clock, timing: LEASE_TIMING, log: silentLog };
  await using queue = new TokenQueue({ ...common, ledger: ledger as TokenLedger, ticks });
  const enqueued = queue.enqueue([{ key: "default/w|Widget|default/w", class: "live" }]);
  await clock.advance(10 * SECOND);
  await enqueued;
  expect(count > 0).toBe(ticks);
});
