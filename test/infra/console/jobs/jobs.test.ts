import { describe, expect, it } from "vitest";
import { PRESSED } from "../../../support/console.ts";
import { GROW, keyOf, serveQueueConsole } from "../../../support/console-queue.ts";
import { eventually } from "../../../support/eventually.ts";

const WITHIN = { withinMs: 10_000, stepMs: 10 };
const KEYS = Array.from({ length: 25 }, (_, at) => keyOf("a", `w${at}`));

describe("bulk actions of the console", () => {
  it("W-404: requeue ten keys a second, stop when asked, and leave alone what has changed", async () => {
    await using world = await serveQueueConsole({ dead: KEYS });
    const headers = { ...(await world.logIn()), ...PRESSED };
    const post = (path: string, body: object) =>
      world.ask(`/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const { items } = await world.letters.page({ limit: 100 });
    const keys = items.map(({ key, deadSince, times }) => ({ key, deadSince, times }));
    const [first = { key: "", deadSince: "", times: 1 }] = keys;
    // An event revives one meanwhile.
    await world.queue.enqueue(GROW, [{ key: first.key, class: "live" }]);
    const wanted = { action: "requeue", function: GROW, select: { keys }, count: 25 };
    expect(await post("/jobs", { ...wanted, count: 24 })).toMatchObject({
      status: 400,
      body: { field: "count" },
    });
    const { body: started } = await post("/jobs", wanted);
    const look = async () => (await world.ask(`/api/v1/jobs/${started["id"]}`, { headers })).body;
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
    expect((await world.ask("/api/v1/jobs", { headers })).body).toMatchObject({
      items: [{ id: started["id"] }],
    });
  });

  it("W-404: ask for the name of the function above 100 keys", async () => {
    await using world = await serveQueueConsole({ dead: KEYS.slice(0, 1) });
    const headers = { ...(await world.logIn()), ...PRESSED };
    const keys = Array.from({ length: 101 }, (_, at) => ({
      key: keyOf("a", `w${at}`),
      // None of them died then.
      deadSince: "2025-01-01T00:00:00.000Z",
      times: 1,
    }));
    const wanted = { action: "drop", function: GROW, select: { keys }, count: 101 };
    const post = (body: object) =>
      world.ask("/api/v1/jobs", { method: "POST", headers, body: JSON.stringify(body) });
    expect(await post(wanted)).toMatchObject({ status: 400, body: { field: "confirm" } });
    expect(await post({ ...wanted, confirm: "widget" })).toMatchObject({
      status: 400,
      body: { field: "confirm" },
    });
    const { body } = await post({ ...wanted, confirm: GROW });
    await eventually(async () => {
      await world.clock.advance(1_000);
      const { body: ended } = await world.ask(`/api/v1/jobs/${body["id"]}`, { headers });
      expect(ended).toMatchObject({ state: "done", done: 0, changed: 101 });
    }, WITHIN);
  });
});
