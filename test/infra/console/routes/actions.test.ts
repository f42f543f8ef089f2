import { describe, expect, it } from "vitest";
import { allowingIn, GROW, keyOf, serveQueueConsole } from "../../../support/console-queue.ts";

const [A1, B1] = [keyOf("a", "w1"), keyOf("b", "w1")] as const;
type World = Awaited<ReturnType<typeof serveQueueConsole>>;

function actor(world: World) {
  const letterOf = async (key: string) => {
    const { items } = await world.letters.page({ limit: 100 });
    const { deadSince = "", times = 0 } = items.find((head) => head.key === key) ?? {};
    return { path: `/letters/${GROW}/${encodeURIComponent(key)}`, seen: { deadSince, times } };
  };
  return { post: world.press, letterOf };
}

describe("actions of the console", () => {
  it("requeue and drop what is as it was shown, and name the person in log and cause", async () => {
    await using world = await serveQueueConsole({ dead: [A1, B1] });
    const { post, letterOf } = actor(world);
    const a = await letterOf(A1);
    expect(await post(`${a.path}/requeue`, a.seen)).toMatchObject({
      status: 200,
      body: { done: "requeued", by: "ann" },
    });
    const state = await world.queue.keyState(GROW, A1);
    expect(state).toMatchObject({ state: "ready", causes: [{ what: "requeue by ann" }] });
    const again = await post(`${a.path}/requeue`, a.seen);
    expect(again).toMatchObject({ status: 412, body: { reason: "Changed", current: { state: "ready" } } });
    const b = await letterOf(B1);
    expect(await post(`${b.path}/drop`, { ...b.seen, times: 2 })).toMatchObject({ status: 412 });
    expect(await post(`${b.path}/drop`, b.seen)).toMatchObject({ status: 200, body: { done: "dropped" } });
    expect((await world.letters.page({ limit: 10 })).items.map(({ key }) => key)).toEqual([A1]);
    const audit = world.lines.filter(({ message }) => message.startsWith("dead letters"));
    expect(audit.map(({ fields }) => fields)).toEqual([
      { user: "ann", function: GROW, keys: [A1] },
      { user: "ann", function: GROW, keys: [B1] },
    ]);
  });

  it("pause and resume a function once; the second person sees that it is so already", async () => {
    await using world = await serveQueueConsole({ dead: [A1] });
    const { post } = actor(world);
    const path = `/queue/${GROW}`;
    expect(await post(`${path}/resume`, { paused: true })).toMatchObject({
      status: 412,
      body: { current: { paused: false } },
    });
    expect(await post(`${path}/pause`, { paused: false })).toMatchObject({ status: 200 });
    expect(await post(`${path}/pause`, { paused: false })).toMatchObject({
      status: 412,
      body: { current: { paused: true } },
    });
    expect((await world.queue.peek(GROW)).paused).toBe(true);
    expect(await post(`${path}/resume`, { paused: true })).toMatchObject({ status: 200 });
    expect(await post("/queue/nothing/pause", { paused: false })).toMatchObject({ status: 404 });
  });

  it("refuse each action without its right, and have none without --actions", async () => {
    await using world = await serveQueueConsole({ dead: [A1, B1], reviewer: allowingIn("a") });
    const { post, letterOf } = actor(world);
    const b = await letterOf(B1);
    for (const path of [`${b.path}/requeue`, `${b.path}/drop`]) {
      expect(await post(path, b.seen), path).toMatchObject({ status: 403 });
    }
    expect(await post(`/queue/${GROW}/pause`, { paused: false })).toMatchObject({ status: 403 });
    expect((await world.queue.peek(GROW)).paused).toBeUndefined();
    await using reading = await serveQueueConsole({ dead: [A1], actions: false });
    const reader = actor(reading);
    const a = await reader.letterOf(A1);
    for (const path of [`${a.path}/requeue`, `/queue/${GROW}/pause`, "/jobs"]) {
      expect(await reader.post(path, {}), path).toMatchObject({ status: 404 });
    }
  });

  it("refuse a body without what was shown", async () => {
    await using world = await serveQueueConsole({ dead: [A1] });
    const { post, letterOf } = actor(world);
    const { path, seen } = await letterOf(A1);
    for (const body of [
      {},
      { ...seen, times: 0 },
      { ...seen, times: 1e9 + 0.5 },
      { deadSince: "now", times: 1 },
      { ...seen, force: true },
      [],
    ]) {
      expect(await post(`${path}/requeue`, body), JSON.stringify(body)).toMatchObject({ status: 400 });
    }
    expect(await world.queue.keyState(GROW, A1)).toMatchObject({ state: "dead" });
  });
});
