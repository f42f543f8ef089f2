import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import type { Relisted } from "../../../infra/relay/store-loss.ts";
import { relistIfLost, watchForLoss } from "../../../infra/relay/store-loss.ts";
import { MANAGEMENT } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { TypeKey, TypeProgress } from "../../../shared/runtime/ports.ts";
import { virtualClock } from "../../support/clock.ts";

const type = { cluster: MANAGEMENT, group: "things.example", kind: "Thing" };

function loopIn(state: "listing" | "streaming" | "backoff"): Relisted & { relists: number } {
  return {
    relists: 0,
    status: () => ({ state }),
    relist() {
      this.relists += 1;
    },
  };
}

const lost = (hasLost: boolean) => ({ hasLost: async () => hasLost });

describe("a store that may lose its data", () => {
  it("is filled again when it has forgotten that a streaming type is complete", async () => {
    const loop = loopIn("streaming");
    await relistIfLost(lost(false), type, loop);
    expect(loop.relists).toBe(0);
    await relistIfLost(lost(true), type, loop);
    expect(loop.relists).toBe(1);
  });

  it.each(["listing", "backoff"] as const)(
    "is left alone while the loop is %s: a list comes anyway or cannot",
    async (state) => {
      const loop = loopIn(state);
      await relistIfLost(lost(true), type, loop);
      expect(loop.relists).toBe(0);
    },
  );

  it("is left alone while it does not answer", async () => {
    const away = {
      hasLost: async () => {
        throw new Error("connection is closed");
      },
    };
    const loop = loopIn("streaming");
    await relistIfLost(away, type, loop);
    expect(loop.relists).toBe(0);
  });

  it("is looked at as soon as it was emptied, by each relay", async () => {
    const clock = virtualClock();
    const abort = new AbortController();
    let store = createMemoryStore();
    const shared = {
      progress: (of: TypeKey) => store.progress(of),
      advance: (of: TypeKey, progress: Partial<TypeProgress>) => store.advance(of, progress),
    };
    const looks = [0, 0];
    const watching = looks.map((_, relay) =>
      watchForLoss(async () => void looks.splice(relay, 1, (looks[relay] ?? 0) + 1), {
        clock,
        signal: abort.signal,
        store: shared,
      }),
    );
    await clock.advance(6 * SECOND);
    expect(looks).toEqual([1, 1]);
    store = createMemoryStore();
    await clock.advance(SECOND);
    expect(looks).toEqual([2, 2]);
    await clock.advance(4 * SECOND);
    expect(looks).toEqual([2, 2]);
    abort.abort();
    await Promise.all(watching);
  });

  it("is looked at every 5 s until the relay ends", async () => {
    const clock = virtualClock();
    const abort = new AbortController();
    let looks = 0;
    const watching = watchForLoss(
      async () => {
        looks += 1;
      },
      { clock, signal: abort.signal, store: createMemoryStore() },
    );
    await clock.advance(4 * SECOND);
    expect(looks).toBe(0);
    await clock.advance(SECOND);
    expect(looks).toBe(1);
    await clock.advance(5 * SECOND);
    expect(looks).toBe(2);
    abort.abort();
    await watching;
    expect(looks).toBe(2);
  });
});
