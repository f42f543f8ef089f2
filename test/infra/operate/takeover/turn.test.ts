import { describe, expect, it } from "vitest";
import { readLease } from "../../../../infra/operate/takeover/core.ts";
import { parkLease, releaseLease, takeTurn } from "../../../../infra/operate/takeover/turn.ts";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer } from "../../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { startApiServer } from "../../../../infra/playground/apiserver/entry.ts";
import { Lease } from "../../../../infra/relay/lease.ts";
import { createLeaseCandidate } from "../../../../infra/relay/lease-candidate.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import type { Clock } from "../../../../shared/runtime/ports.ts";
import { eventually, HANG_MS } from "../../../support/eventually.ts";

const key = { namespace: "kube-system", name: "controller-leader-election-capi" };

async function world() {
  const stack = new AsyncDisposableStack();
  const embedded = await startApiServer({ name: "test" });
  stack.defer(() => embedded.stop());
  const server = stack.use(createServer(parseKubeconfig(embedded.kubeconfig()), { clock: systemClock }));
  const client = server.as("takeover");
  return {
    client,
    candidate: (identity: string) => createLeaseCandidate({ client, key, identity, clock: systemClock }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

describe("the Lease of Cluster API's manager", () => {
  it("is parked against its holder and every standby, once", async () => {
    await using w = await world();
    await expect(parkLease(w.client, key, systemClock)).rejects.toThrow("does not exist");
    const leader = w.candidate("leader");
    expect(await leader.tryHold()).toBe(true);
    expect(await parkLease(w.client, key, systemClock)).toBe(15_000);
    expect(await leader.tryHold()).toBe(false);
    const standby = w.candidate("standby");
    expect(await standby.tryHold()).toBe(false);
    // So long a candidate waits that has seen it.
    const { leaseDurationSeconds } = (await w.client.get(Lease, key))?.spec ?? {};
    expect(leaseDurationSeconds).toBeGreaterThan(365 * 86_400);
    expect(await parkLease(w.client, key, systemClock), "parked already").toBe(0);
    expect(await readLease(w.client, key)).toMatchObject({ parked: true, holder: "capstan-takeover" });
  });

  it("is freed once, and left alone where a manager leads", async () => {
    await using w = await world();
    await w.candidate("leader").tryHold();
    await releaseLease(w.client, key, systemClock);
    expect((await readLease(w.client, key))?.holder).toBe("leader");
    await parkLease(w.client, key, systemClock);
    await releaseLease(w.client, key, systemClock);
    await releaseLease(w.client, key, systemClock);
    expect(await readLease(w.client, key)).toMatchObject({ parked: false, holder: "" });
    expect(await w.candidate("standby").tryHold()).toBe(true);
  });
});

describe("the turn of an operator", () => {
  const place = { namespace: "kube-system", clock: systemClock };

  it("is refused to a second one while the first is at work, and free afterwards", async () => {
    await using w = await world();
    {
      await using first = await takeTurn(w.client, { ...place, identity: "ann@a:1" });
      first.check();
      await expect(takeTurn(w.client, { ...place, identity: "bob@b:2" })).rejects.toThrow(
        /^ann@a:1 is handing over now \(Lease kube-system\/capstan-takeover\)/,
      );
    }
    await using second = await takeTurn(w.client, { ...place, identity: "bob@b:2" });
    second.check();
  });

  it("passes to the next 15 s after its holder was killed, with one look at the Lease each second", async () => {
    await using w = await world();
    let now = Date.now();
    // Time passes while it waits for the Lease; no renewal is due.
    const clock: Clock = {
      now: () => new Date(now),
      after(ms, callback) {
        if (ms > SECOND) return () => undefined;
        now += ms;
        setImmediate(callback);
        return () => undefined;
      },
    };
    const turnKey = { namespace: "kube-system", name: "capstan-takeover" };
    const killed = createLeaseCandidate({ client: w.client, key: turnKey, identity: "ann@a:1", clock });
    expect(await killed.tryHold()).toBe(true);
    let looks = 0;
    const get: typeof w.client.get = (kind, key) => {
      looks += 1;
      return w.client.get(kind, key);
    };
    await using turn = await takeTurn({ ...w.client, get }, { ...place, clock, identity: "bob@b:2" });
    turn.check();
    expect(looks).toBe(1 + 15);
  });

  it("is lost when another has it", async () => {
    await using w = await world();
    let ahead = 0;
    const clock = { ...systemClock, now: () => new Date(Date.now() + ahead) };
    await using turn = await takeTurn(w.client, { ...place, clock, identity: "ann@a:1" });
    turn.check();
    ahead = 11_000;
    expect(() => turn.check()).toThrow("was lost; start again");
    expect(
      (await w.client.get(Lease, { namespace: "kube-system", name: "capstan-takeover" }))?.spec,
    ).toMatchObject({
      holderIdentity: "ann@a:1",
    });
  });

  it("is lost when another has taken it from a machine whose clock is set back", async () => {
    await using w = await world();
    let now = Date.now();
    const renewals: (() => void)[] = [];
    const clock: Clock = {
      now: () => new Date(now),
      after(ms, callback) {
        if (ms < 10 * SECOND) renewals.push(callback);
        return () => undefined;
      },
    };
    await using turn = await takeTurn(w.client, { ...place, clock, identity: "ann@a:1" });
    const holder = { op: "add", path: "/spec/holderIdentity", value: "bob@b:2" } as const;
    await w.client.jsonPatch(Lease, { namespace: "kube-system", name: "capstan-takeover" }, [holder]);
    now -= 3_600 * SECOND;
    turn.check();
    for (const renew of renewals.splice(0)) renew();
    await eventually(() => renewals.length > 0, { withinMs: HANG_MS });
    expect(() => turn.check()).toThrow("was lost; start again");
  });
});
