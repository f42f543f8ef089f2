import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { objectKeyOf, refTo } from "../../../../shared/api/kinds.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { done } from "../../../../shared/function/result.ts";
import { RESTORED } from "../../../../shared/runtime/queue/queue-port.ts";
import { WIDGETS, Widget, widget, widgetFence } from "../../../support/widget.ts";
import { decides, type GrowStep, runWidget as run, storeOf } from "../../../support/widget-run.ts";

describe("the freshness barrier", () => {
  it("puts a run off while the snapshot is older than what the key wrote before, without counting it", async () => {
    const { outcome } = await run({
      step: async () => {
        throw new Error("the step must not run");
      },
      lease: { fences: [widgetFence("8")] },
    });
    expect(outcome).toEqual({ type: "retry", afterMs: 100, fences: [widgetFence("8")] });
  });

  it("lets a run through once the snapshot has reached the version, or passed it after a lost race", async () => {
    expect(
      (await run({ step: decides({ result: done }), lease: { fences: [widgetFence("7")] } })).outcome.type,
    ).toBe("ok");
    const lost = { fences: [widgetFence("7", true)] };
    expect((await run({ step: decides({ result: done }), lease: lost })).outcome.type).toBe("retry");
    const store = await storeOf(widget({ resourceVersion: "9" }));
    expect((await run({ store, step: decides({ result: done }), lease: lost })).outcome.type).toBe("ok");
  });

  it("does not take an object that is gone for a stale one", async () => {
    const store = await storeOf();
    await store.advance(WIDGETS, { resourceVersion: "12" });
    const { outcome } = await run({
      store,
      step: decides({ result: done }),
      lease: { fences: [widgetFence("9")] },
    });
    expect(outcome).toEqual({ type: "ok", requested: false, fences: [] });
  });

  it("does not wait for kinds that the read model never holds", async () => {
    const fence = { ...widgetFence("40"), group: "", kind: "Secret", name: "s" };
    const { outcome } = await run({ step: decides({ result: done }), lease: { fences: [fence] } });
    expect(outcome).toEqual({ type: "ok", requested: false, notBeforeMs: undefined, fences: [] });
  });

  it("looks again after 100 ms, then after longer waits: each look costs, and a change that is delivered ends the wait", async () => {
    const lease = { fences: [widgetFence("8")] };
    const waits = await Promise.all(
      [0, 1, 3, 15].map(
        async (again) =>
          (await run({ step: decides({ result: done }), lease: { ...lease, retries: again } })).outcome,
      ),
    );
    expect(waits).toMatchObject([100, 200, 800, 800].map((afterMs) => ({ type: "retry", afterMs })));
  });

  it("reads live after sixteen looks, and keeps the version it saw as the fence of the next run", async () => {
    const seen: unknown[] = [];
    const { outcome } = await run({
      step: async ({ metadata }) => {
        seen.push(metadata.resourceVersion);
        return { result: done };
      },
      lease: { retries: 16, fences: [widgetFence("8")] },
      liveVersion: "11",
    });
    expect(seen).toEqual(["11"]);
    expect(outcome.fences).toEqual([widgetFence("11")]);
  });

  it("begins after sixteen looks behind a workload server that the function may not ask, and forgets its fence", async () => {
    const workload = { ...widgetFence("8"), cluster: "default/c1" };
    const store = await storeOf(widget());
    await store.advance({ ...WIDGETS, cluster: workload.cluster }, { ready: true, resourceVersion: "7" });
    const step = decides({ result: done });
    const lease = { fences: [workload] };
    const waiting = { type: "retry", afterMs: 100, fences: [workload] };
    expect((await run({ store, step, lease })).outcome).toEqual(waiting);
    const { outcome } = await run({ store, step, lease: { ...lease, retries: 16 } });
    expect(outcome).toMatchObject({ type: "ok", fences: [] });
  });

  it("waits for the read model to show the change that has woken it, and reads live after sixteen looks", async () => {
    const causes = [{ what: "Widget default/w", resourceVersion: "9" }];
    const store = await storeOf(widget());
    const step = decides({ result: done });
    const { outcome, sent } = await run({ store, step, lease: { causes } });
    expect(outcome).toEqual({ type: "retry", afterMs: 100, fences: [widgetFence("9")] });
    expect(sent).toEqual([]);
    const late = { retries: 16, causes, fences: [widgetFence("9")] };
    expect((await run({ store, step, lease: late, liveVersion: "9" })).outcome).toMatchObject({ type: "ok" });
    const restored = [...causes, { what: RESTORED }];
    expect((await run({ store, step, lease: { causes: restored } })).outcome).toMatchObject({ type: "ok" });
  });

  describe("Q-45: the event of a write", () => {
    const note = (resourceVersion: string | undefined) => ({
      target: { ...refTo(Widget, widget()), resourceVersion },
      operations: [{ op: "add", path: "/metadata/labels/note", value: "a" } as const],
    });
    const settling = { settles: true, notes: ["metadata.labels"] } as const;
    const echoesOf = ({ outcome: { fences = [] } }: Awaited<ReturnType<typeof run>>) =>
      fences.map(({ echo }) => echo);

    it("need not wake a function that settles, as its write was on the version that it has read", async () => {
      const status = decides({ apply: { "status.size": 4 }, result: done });
      expect(echoesOf(await run({ ...settling, step: status }))).toEqual(["Widget default/w@1001"]);
      const patch = decides({ patch: [note("7")], result: done });
      expect(echoesOf(await run({ ...settling, step: patch }))).toEqual(["Widget default/w@1001"]);
      expect(echoesOf(await run({ step: status }))).toEqual([undefined]);
    });

    it("wakes it when others may have written in between, when it was read live, and when the run has failed", async () => {
      const onAny = decides({ patch: [note(undefined)], result: done });
      expect(echoesOf(await run({ ...settling, step: onAny }))).toEqual([undefined]);
      const readLive: GrowStep = async (object, { read }) => {
        await read.live.get(Widget, objectKeyOf(object));
        return { patch: [note("7")], result: done };
      };
      expect(echoesOf(await run({ ...settling, step: readLive, liveVersion: "7" }))).toEqual([undefined]);
      const step = decides({ patch: [note("7")], apply: { "status.size": 4 }, result: done });
      const refuse = ({ verb }: { readonly verb: string }) =>
        verb === "apply"
          ? new KubeError({ class: "Transient", status: 500, reason: "Internal", message: "no" })
          : undefined;
      expect(echoesOf(await run({ ...settling, step, refuse }))).toEqual([undefined]);
    });
  });

  it("keeps the fence of an object that is gone while the read model still shows what was before", async () => {
    const store = await storeOf(widget());
    const step = decides({ result: done });
    const fences = [widgetFence("8")];
    const { outcome } = await run({ store, step, lease: { retries: 16, fences } });
    expect(outcome).toMatchObject({ type: "ok", fences });
    const restored = { retries: 16, fences, causes: [{ what: RESTORED }] };
    expect((await run({ store, step, lease: restored })).outcome).toMatchObject({ type: "ok", fences: [] });
    await store.drop(WIDGETS);
    await store.advance(WIDGETS, { ready: true, resourceVersion: "12" });
    expect((await run({ store, step, lease: { fences } })).outcome).toMatchObject({ type: "ok", fences: [] });
  });

  it("fences the next run behind all that it listed live, objects without a fence included", async () => {
    const whole = { ...widgetFence("12"), namespace: "", name: "" };
    const step: GrowStep = async (_, { read }) => {
      await read.list(Widget, { namespace: "default" });
      return { result: done };
    };
    const lease = { retries: 16, fences: [widgetFence("8")] };
    expect((await run({ step, lease, liveVersion: "12" })).outcome.fences).toEqual([whole]);
    const store = await storeOf(widget());
    expect((await run({ store, step, lease: { fences: [whole] } })).outcome).toMatchObject({ type: "retry" });
    await store.advance(WIDGETS, { resourceVersion: "12" });
    expect((await run({ store, step, lease: { fences: [whole] } })).outcome).toMatchObject({
      type: "ok",
      fences: [],
    });
  });

  it("does not wait for the versions of a server that was restored: it reads live, and forgets the rest (KR-12)", async () => {
    const gadget = { ...widgetFence("90"), kind: "Gadget" };
    const store = await storeOf(widget());
    await store.advance({ ...WIDGETS, kind: "Gadget" }, { ready: true, resourceVersion: "9" });
    const { outcome } = await run({
      store,
      step: decides({ result: done }),
      lease: { causes: [{ what: RESTORED }], fences: [widgetFence("80"), gadget] },
      liveVersion: "9",
    });
    expect(outcome).toEqual({
      type: "ok",
      requested: false,
      notBeforeMs: undefined,
      fences: [widgetFence("9")],
    });
  });

  it("fences the next run behind its own write rather than behind what it read live", async () => {
    const { outcome } = await run({
      step: decides({ apply: { "status.size": 4 }, result: done }),
      lease: { retries: 16, fences: [widgetFence("8")] },
      liveVersion: "11",
    });
    expect(outcome.fences).toEqual([widgetFence("1001")]);
  });

  it("keeps the fence of an object that it could not look at", async () => {
    const gadget = { ...widgetFence("9"), kind: "Gadget" };
    const store = await storeOf(widget());
    await store.advance({ ...WIDGETS, kind: "Gadget" }, { ready: true, resourceVersion: "3" });
    const { outcome } = await run({
      store,
      step: decides({ result: done }),
      lease: { retries: 16, fences: [gadget] },
    });
    expect(outcome.fences).toEqual([gadget]);
  });

  it("keeps the fences when the first list of the kind is not complete, and backs off up to 5 s", async () => {
    const store = createMemoryStore();
    await store.advance({ ...WIDGETS, kind: "Gadget" }, { ready: true, resourceVersion: "3" });
    const fence = { ...widgetFence("9"), kind: "Gadget" };
    const waits = await Promise.all(
      [0, 3, 10].map(
        async (again) =>
          (await run({ store, step: decides({ result: done }), lease: { retries: again } })).outcome,
      ),
    );
    expect(waits).toEqual([
      { type: "retry", afterMs: 100, fences: [] },
      { type: "retry", afterMs: 800, fences: [] },
      { type: "retry", afterMs: 5_000, fences: [] },
    ]);
    const late = await run({
      store,
      step: decides({ result: done }),
      lease: { retries: 60, fences: [fence] },
    });
    expect(late.outcome).toEqual({ type: "retry", afterMs: 5_000, fences: [fence] });
  });
});
