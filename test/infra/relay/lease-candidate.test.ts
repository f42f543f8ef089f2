import { describe, expect, it } from "vitest";
import { systemClock } from "../../../infra/platform/clock.ts";
import { createServer } from "../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../infra/platform/kube/kubeconfig.ts";
import { startApiServer } from "../../../infra/playground/apiserver/entry.ts";
import { Lease } from "../../../infra/relay/lease.ts";
import { createLeaseCandidate } from "../../../infra/relay/lease-candidate.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";

const key = { namespace: "kube-system", name: "capstan-relay" };
const START = Date.parse("2026-01-01T00:00:00Z");

async function world() {
  const stack = new AsyncDisposableStack();
  const embedded = await startApiServer({ name: "test" });
  stack.defer(() => embedded.stop());
  const client = stack
    .use(createServer(parseKubeconfig(embedded.kubeconfig()), { clock: systemClock }))
    .as("relay");
  return {
    client,
    /** Its clock stands still until `at`, in seconds since the start. */
    candidate: (identity: string) => {
      let now = START;
      const clock = { now: () => new Date(now), after: () => () => undefined };
      const candidate = createLeaseCandidate({ client, key, identity, clock });
      const at = (seconds: number) => {
        now = START + seconds * SECOND;
        return candidate;
      };
      return { at };
    },
    lease: async () => (await client.get(Lease, key))?.spec,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

describe("a lease", () => {
  it("belongs to the first that asks, and shows the standard fields (KR-21)", async () => {
    await using w = await world();
    const [a, b] = [w.candidate("a"), w.candidate("b")];
    expect(await a.at(0).tryHold()).toBe(true);
    expect(await b.at(1).tryHold()).toBe(false);
    expect(b.at(1).holder).toBe("a");
    expect(await w.lease()).toEqual({
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:00.000000Z",
      leaseTransitions: 0,
    });
    await a.at(2).tryHold();
    expect(await w.lease()).toMatchObject({
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:02.000000Z",
      leaseTransitions: 0,
    });
  });

  it("is taken over once it has not been renewed for its duration, by the clock of the one who takes it", async () => {
    await using w = await world();
    const [a, b] = [w.candidate("a"), w.candidate("b")];
    // The clock of `a` is an hour ahead.
    await a.at(3_600).tryHold();
    expect(await b.at(0).tryHold()).toBe(false);
    await a.at(3_610).tryHold();
    for (let second = 10; second < 25; second += 2) expect(await b.at(second).tryHold()).toBe(false);
    expect(await b.at(25).tryHold()).toBe(true);
    expect(await w.lease()).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
    expect(await a.at(3_626).tryHold()).toBe(false);
    expect(a.at(3_626).holder).toBe("b");
  });

  it("is not taken because the clock of a candidate jumps ahead, or back and ahead again", async () => {
    await using w = await world();
    const [a, b] = [w.candidate("a"), w.candidate("b")];
    await a.at(0).tryHold();
    expect(await b.at(0).tryHold()).toBe(false);
    for (const second of [3_600, 0, 3_600]) expect(await b.at(second).tryHold()).toBe(false);
    await a.at(6).tryHold();
    for (const second of [3_602, 3_604, 3_606]) expect(await b.at(second).tryHold()).toBe(false);
    expect(await w.lease()).toMatchObject({ holderIdentity: "a" });
  });

  it("is held for ten seconds after a renewal by the clock, too: timers are late in a process that was stopped", async () => {
    await using w = await world();
    const a = w.candidate("a");
    expect(a.at(0).isHeld).toBe(false);
    await a.at(0).tryHold();
    expect([a.at(9.9).isHeld, a.at(10).isHeld]).toEqual([true, false]);
    await a.at(10).tryHold();
    expect(a.at(19).isHeld).toBe(true);
    await a.at(19).release();
    expect(a.at(19).isHeld).toBe(false);
  });

  it("goes to one of two that ask at the same time", async () => {
    await using w = await world();
    const candidates = ["a", "b", "c"].map((identity) => w.candidate(identity));
    const held = await Promise.all(candidates.map((each) => each.at(0).tryHold()));
    expect(held.filter(Boolean)).toHaveLength(1);
  });

  it("is free at once when it was released, and only its holder releases it", async () => {
    await using w = await world();
    const [a, b] = [w.candidate("a"), w.candidate("b")];
    await a.at(0).tryHold();
    await b.at(1).release();
    expect(await b.at(1).tryHold()).toBe(false);
    await a.at(2).release();
    expect(await w.lease()).toMatchObject({ holderIdentity: "" });
    expect(await b.at(2).tryHold()).toBe(true);
  });

  it("takes a Lease that a user has made without a holder", async () => {
    await using w = await world();
    const metadata = { ...key };
    await w.client.create(Lease as Kind, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata });
    expect(await w.candidate("a").at(0).tryHold()).toBe(true);
  });
});
