import { describe, expect, it } from "vitest";
import { replaySchema } from "../../../../infra/console/api/letters.ts";
import { allowingIn, GROW, keyOf, serveQueueConsole } from "../../../support/console-queue.ts";

const A1 = keyOf("a", "w1");
const pathOf = (key: string) => `/letters/${GROW}/${encodeURIComponent(key)}/replay`;
const decided = (value: number, digest: string) => ({
  result: "done",
  ok: true,
  requests: [{ title: "patch Widget a/w1", body: { spec: { size: value } } }],
  digest,
});

describe("the replay of a letter in the console", () => {
  it("shows the decision then and now side by side, and is kept for the next page", async () => {
    let replays = 0;
    const replay = async () => {
      replays += 1;
      return { type: "different" as const, recorded: decided(1, "1"), replayed: decided(2, "2") };
    };
    await using world = await serveQueueConsole({ dead: [A1], replay });
    const answer = replaySchema.parse((await world.get(pathOf(A1))).body);
    expect(answer).toMatchObject({ verdict: "different", recorded: { digest: "1" }, replayed: { ok: true } });
    expect(answer.lines).toEqual([
      { left: "patch Widget a/w1", right: "patch Widget a/w1", same: true },
      { left: "  spec:", right: "  spec:", same: true },
      { left: "    size: 1", right: "    size: 2", same: false },
      { left: "result: done", right: "result: done", same: true },
    ]);
    await world.get(pathOf(A1));
    expect(replays).toBe(1);
  });

  it("says why it was cut; is refused elsewhere, and not found without a letter", async () => {
    const replay = async () => ({ type: "cut" as const, why: "it did not end within 2 s" });
    await using world = await serveQueueConsole({ dead: [A1], replay, reviewer: allowingIn("a") });
    expect((await world.get(pathOf(A1))).body).toMatchObject({
      verdict: "cut",
      why: "it did not end within 2 s",
    });
    expect(await world.get(pathOf(keyOf("a", "gone")))).toMatchObject({ status: 404 });
    expect(await world.get(pathOf(keyOf("b", "w1")))).toMatchObject({ status: 403 });
    expect(await world.get(pathOf("malformed"))).toMatchObject({ status: 403 });
  });
});
