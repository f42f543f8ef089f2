import { describe, expect, it } from "vitest";
import { GROW, keyOf, serveQueueConsole } from "../../../support/console-queue.ts";
import { eventually } from "../../../support/eventually.ts";

const WITHIN = { withinMs: 10_000, stepMs: 10 };
const KEYS = Array.from({ length: 25 }, (_, at) => keyOf("a", `w${at}`));

describe("bulk actions of the console", () => {
  it("requeue ten keys a second, stop when asked, and leave alone what has changed", async () => {
    await using world = await serveQueueConsole({ dead: KEYS });
    const { press: post } = world;
    const { items } = await world.letters.page({ limit: 100 });
    const keys = items.map(({ key, deadSince, times }) => ({ key, deadSince, times }));
    const [first = { key: "", deadSince: "", times: 1 }] = keys;
    // An event revives one meanwhile.
    await world.queue.enqueue(GROW, [{ key: first.key, priority: "live" }]);
    const wanted = { action: "requeue", function: GROW, select: { keys }, count: 25 };
    expect(await post("/jobs", { ...wanted, count: 24 })).toMatchObject({
      status: 400,
      body: { field: "count" },
    });
    const { body: started } = await post("/jobs", wanted);
    const look = async () => (await world.get(`/jobs/${started["id"]}`)).body;
    const sees = (state: object) => eventually(async () => expect(await look()).toMatchObject(state), WITHIN);
    await sees({ state: "running", total: 25, done: 9, changed: 1, by: "ann" });
    await world.clock.advance(1_000);
    await sees({ state: "running", done: 19, changed: 1 });
    expect((await post(`/jobs/${started["id"]}/stop`, {})).body).toMatchObject({ state: "stopped" });
    await world.clock.advance(5_000);
    expect(await look()).toMatchObject({ state: "stopped", done: 19, changed: 1 });
    expect((await world.queue.peek(GROW)).dead).toBe(5);
    const requeued = world.lines.filter(({ message }) => message === "dead letters requeued");
    expect(requeued.flatMap(({ fields }) => (fields as { keys: readonly string[] }).keys).length).toBe(19);
    expect((await world.get("/jobs")).body).toMatchObject({
      items: [{ id: started["id"] }],
    });
  });

  it("continue behind the last key that was taken, in the name of the person who resumes", async () => {
    await using world = await serveQueueConsole({ dead: KEYS });
    const group = (await world.get("/letter-groups")).body["items"] as readonly { readonly id: string }[];
    const select = { group: group[0]?.id };
    const wanted = { action: "requeue", function: GROW, select, count: 25 };
    expect(await world.press("/jobs", { ...wanted, count: 24 })).toMatchObject({
      status: 412,
      body: { reason: "Changed", current: { count: 25 } },
    });
    const { body } = await world.press("/jobs", wanted);
    expect(body).toMatchObject({ total: 25, of: select });
    const path = `/jobs/${body["id"]}`;
    const sees = (state: object) =>
      eventually(async () => expect((await world.get(path)).body).toMatchObject(state), WITHIN);
    await sees({ state: "running", done: 10 });
    await world.press(`${path}/stop`);
    await world.clock.advance(3_000);
    await sees({ state: "stopped", done: 10 });
    expect(await world.press(`${path}/resume`)).toMatchObject({ status: 200, body: { state: "running" } });
    expect(await world.press(`${path}/resume`)).toMatchObject({
      status: 412,
      body: { current: { state: "running" } },
    });
    await eventually(async () => {
      await world.clock.advance(1_000);
      expect((await world.get(path)).body).toMatchObject({ state: "done", done: 25, changed: 0 });
    }, WITHIN);
    expect((await world.queue.peek(GROW)).dead).toBe(0);
    const log = world.lines.filter(({ message }) => message.startsWith("bulk requeue"));
    expect(log.map(({ message }) => message)).toEqual([
      "bulk requeue ended",
      "bulk requeue resumed",
      "bulk requeue ended",
    ]);
  });

  it("that fail can be resumed: what was done is counted once", async () => {
    await using world = await serveQueueConsole({ dead: KEYS.slice(0, 12) });
    const { requeue } = world.queue;
    let isAway = true;
    world.queue.requeue = async (...given) => {
      if (isAway) throw new Error("connect ECONNREFUSED");
      return requeue.apply(world.queue, given);
    };
    const { items } = (await world.get("/letters")).body as {
      items: readonly { key: string; deadSince: string; times: number }[];
    };
    const keys = items.map(({ key, deadSince, times }) => ({ key, deadSince, times }));
    const { body } = await world.press("/jobs", {
      action: "requeue",
      function: GROW,
      select: { keys },
      count: 12,
    });
    const path = `/jobs/${body["id"]}`;
    const ends = (state: object) =>
      eventually(async () => {
        await world.clock.advance(1_000);
        expect((await world.get(path)).body).toMatchObject(state);
      }, WITHIN);
    await ends({ state: "failed", done: 0, message: "connect ECONNREFUSED" });
    isAway = false;
    await world.press(`${path}/resume`);
    await ends({ state: "done", done: 12, changed: 0 });
    expect(await world.press(`${path}/resume`)).toMatchObject({
      status: 412,
      body: { current: { state: "done" } },
    });
  });

  it("ask for the name of the function above 100 keys", async () => {
    await using world = await serveQueueConsole({ dead: KEYS.slice(0, 1) });
    const keys = Array.from({ length: 101 }, (_, at) => ({
      key: keyOf("a", `w${at}`),
      // None of them died then.
      deadSince: "2025-01-01T00:00:00.000Z",
      times: 1,
    }));
    const wanted = { action: "drop", function: GROW, select: { keys }, count: 101 };
    const post = (body: object) => world.press("/jobs", body);
    expect(await post(wanted)).toMatchObject({ status: 400, body: { field: "confirm" } });
    expect(await post({ ...wanted, confirm: "widget" })).toMatchObject({
      status: 400,
      body: { field: "confirm" },
    });
    const { body } = await post({ ...wanted, confirm: GROW });
    await eventually(async () => {
      await world.clock.advance(1_000);
      const { body: ended } = await world.get(`/jobs/${body["id"]}`);
      expect(ended).toMatchObject({ state: "done", done: 0, changed: 101 });
    }, WITHIN);
  });
});
