import { describe, expect, it } from "vitest";
import { startApiServer } from "../../../infra/apiserver/entry.ts";
import { systemClock } from "../../../infra/clock.ts";
import { createServer } from "../../../infra/kube/client.ts";
import { parseKubeconfig } from "../../../infra/kube/kubeconfig.ts";
import { createLeaseCandidate, Lease } from "../../../infra/relay/lease.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";

const key = { namespace: "kube-system", name: "capstan-relay" };
const at = (seconds: number) => new Date(Date.parse("2026-01-01T00:00:00Z") + seconds * SECOND);

async function world() {
  const stack = new AsyncDisposableStack();
  const embedded = await startApiServer({ name: "test" });
  stack.defer(() => embedded.stop());
  const client = stack
    .use(createServer(parseKubeconfig(embedded.kubeconfig()), { clock: systemClock }))
    .as("relay");
  return {
    client,
    candidate: (identity: string) => createLeaseCandidate({ client, key, identity }),
    lease: async () => (await client.get(Lease, key))?.spec,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

describe("a lease", () => {
  it("belongs to the first that asks, and shows the standard fields (KR-21)", async () => {
    await using w = await world();
    const [a, b] = [w.candidate("a"), w.candidate("b")];
    expect(await a.tryHold(at(0))).toBe(true);
    expect(await b.tryHold(at(1))).toBe(false);
    expect(b.holder).toBe("a");
    expect(await w.lease()).toEqual({
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:00.000000Z",
      leaseTransitions: 0,
    });
    await a.tryHold(at(2));
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
    await a.tryHold(at(3_600));
    expect(await b.tryHold(at(0))).toBe(false);
    await a.tryHold(at(3_610));
    expect(await b.tryHold(at(10))).toBe(false);
    expect(await b.tryHold(at(24))).toBe(false);
    expect(await b.tryHold(at(25))).toBe(true);
    expect(await w.lease()).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
    expect(await a.tryHold(at(3_626))).toBe(false);
    expect(a.holder).toBe("b");
  });

  it("goes to one of two that ask at the same time", async () => {
    await using w = await world();
    const candidates = ["a", "b", "c"].map((identity) => w.candidate(identity));
    const held = await Promise.all(candidates.map((each) => each.tryHold(at(0))));
    expect(held.filter(Boolean)).toHaveLength(1);
  });

  it("is free at once when it was released, and only its holder releases it", async () => {
    await using w = await world();
    const [a, b] = [w.candidate("a"), w.candidate("b")];
    await a.tryHold(at(0));
    await b.release(at(1));
    expect(await b.tryHold(at(1))).toBe(false);
    await a.release(at(2));
    expect(await w.lease()).toMatchObject({ holderIdentity: "" });
    expect(await b.tryHold(at(2))).toBe(true);
  });

  it("takes a Lease that a user has made without a holder", async () => {
    await using w = await world();
    const metadata = { ...key };
    await w.client.create(Lease as Kind, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata });
    expect(await w.candidate("a").tryHold(at(0))).toBe(true);
  });
});
