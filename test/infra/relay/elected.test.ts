import { describe, expect, it } from "vitest";
import { systemClock } from "../../../infra/platform/clock.ts";
import { createServer } from "../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../infra/platform/kube/kubeconfig.ts";
import { startApiServer } from "../../../infra/playground/apiserver/entry.ts";
import { startElected } from "../../../infra/relay/elected.ts";
import { Lease } from "../../../infra/relay/lease.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import { virtualClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { silentLog } from "../../support/silent-log.ts";

const within = { withinMs: 15_000 };
const lease = { namespace: "kube-system", name: "work" };

async function world() {
  const stack = new AsyncDisposableStack();
  const embedded = await startApiServer({ name: "test" });
  stack.defer(() => embedded.stop());
  const access = parseKubeconfig(embedded.kubeconfig());
  const server = stack.use(createServer(access, { clock: systemClock }));
  const clock = virtualClock();
  const client = server.as("test");
  const steps: string[] = [];
  const begin = (
    identity: string,
    { slowly = Promise.resolve(), clock: own = clock }: { slowly?: Promise<void>; clock?: Clock } = {},
  ) => {
    const fences: (() => void)[] = [];
    const elected = startElected({
      client,
      lease,
      identity,
      clock: own,
      log: silentLog,
      role: "test",
      async lead(mayWrite) {
        fences.push(mayWrite);
        steps.push(`${identity} works`);
        return {
          ready: async () => undefined,
          async [Symbol.asyncDispose]() {
            steps.push(`${identity} drains`);
            await slowly;
            steps.push(`${identity} has ended`);
          },
        };
      },
    });
    return Object.assign(stack.use(elected), { mayWrite: () => fences.at(-1)?.() });
  };
  return {
    clock,
    client,
    embedded,
    steps,
    begin,
    holder: async () => (await client.get(Lease, lease))?.spec?.holderIdentity,
    until: (check: () => unknown) =>
      eventually(async () => {
        await clock.advance(SECOND);
        await check();
      }, within),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The clock of a machine that is wrong by so much; time passes as it does everywhere. */
function behind(clock: Clock, ms: () => number): Clock {
  return { now: () => new Date(clock.now().getTime() - ms()), after: clock.after };
}

describe("one of several candidates (KR-21)", () => {
  it("works; another one does nothing and knows who leads", async () => {
    await using w = await world();
    const first = w.begin("first");
    await first.ready();
    await w.until(() => expect(first.work).toBeDefined());
    const second = w.begin("second");
    await second.ready();
    await w.clock.advance(30 * SECOND);
    expect([second.work, second.leader]).toEqual([undefined, "first"]);
    expect(w.steps).toEqual(["first works"]);
    expect(first.mayWrite).not.toThrow();
  });

  it("holds the lease until its work has ended, however long it drains; then the next one works", async () => {
    await using w = await world();
    const drained = Promise.withResolvers<void>();
    const first = w.begin("first", { slowly: drained.promise });
    await w.until(() => expect(first.work).toBeDefined());
    const second = w.begin("second");
    await second.ready();
    const ending = first[Symbol.asyncDispose]();
    for (let seconds = 0; seconds < 40; seconds += 1) {
      await w.clock.advance(SECOND);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await w.holder()).toBe("first");
    expect(w.steps).toEqual(["first works", "first drains"]);
    drained.resolve();
    await ending;
    await w.until(() => expect(second.work).toBeDefined());
    expect(w.steps).toEqual(["first works", "first drains", "first has ended", "second works"]);
  });

  it("may not write after the lease could have been taken, before it notices: its process was stopped", async () => {
    await using w = await world();
    const first = w.begin("first");
    await w.until(() => expect(first.work).toBeDefined());
    w.embedded.faults.add({
      on: { resource: "leases.coordination.k8s.io" },
      effect: { kind: "status", code: 403 },
    });
    expect(first.mayWrite).not.toThrow();
    await w.clock.advance(11 * SECOND);
    expect(first.mayWrite).toThrow("waiting for Lease kube-system/work");
    await w.until(() => expect(w.steps).toContain("first has ended"));
  });

  it("may not write for longer because the clock is set back while it cannot renew", async () => {
    await using w = await world();
    let behindMs = 0;
    const first = w.begin("first", { clock: behind(w.clock, () => behindMs) });
    await w.until(() => expect(first.work).toBeDefined());
    w.embedded.faults.add({
      on: { resource: "leases.coordination.k8s.io" },
      effect: { kind: "status", code: 403 },
    });
    behindMs = 3_600 * SECOND;
    expect(first.mayWrite).not.toThrow();
    await w.clock.advance(11 * SECOND);
    expect(first.mayWrite).toThrow("waiting for Lease kube-system/work");
    await w.until(() => expect(w.steps).toContain("first has ended"));
  });

  it("leaves the lease to the one that renews it, though its own clock jumps ahead", async () => {
    await using w = await world();
    const first = w.begin("first");
    await w.until(() => expect(first.work).toBeDefined());
    let aheadMs = 0;
    const second = w.begin("second", { clock: behind(w.clock, () => -aheadMs) });
    await second.ready();
    for (let jump = 0; jump < 5; jump += 1) {
      aheadMs += 3_600 * SECOND;
      await w.clock.advance(4 * SECOND);
    }
    expect(w.steps).toEqual(["first works"]);
    expect(await w.holder()).toBe("first");
  });

  it("stops at once when another one has taken the lease, and works again when that one is gone", async () => {
    await using w = await world();
    const first = w.begin("first");
    await w.until(() => expect(first.work).toBeDefined());
    const renewTime = "2030-01-01T00:00:00.000000Z";
    const spec = { holderIdentity: "thief", leaseDurationSeconds: 15, renewTime };
    await eventually(
      () => w.client.jsonPatch(Lease as Kind, lease, [{ op: "add", path: "/spec", value: spec }]),
      within,
    );
    await w.until(() => expect(w.steps).toContain("first has ended"));
    expect(first.mayWrite).toThrow("waiting for Lease");
    expect(first.leader).toBe("thief");
    await w.until(() =>
      expect(w.steps).toEqual(["first works", "first drains", "first has ended", "first works"]),
    );
  });

  it("ends and frees the lease when its work cannot be started", async () => {
    await using w = await world();
    const elected = startElected({
      client: w.client,
      lease,
      identity: "broken",
      clock: w.clock,
      log: silentLog,
      role: "test",
      lead: async (): Promise<never> => {
        throw new Error("the port is taken");
      },
    });
    await expect(elected.ended).rejects.toThrow("the port is taken");
    expect(await w.holder()).toBe("");
    await expect(elected[Symbol.asyncDispose]()).rejects.toThrow("the port is taken");
  });
});
