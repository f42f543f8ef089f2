import { describe, expect, it } from "vitest";
import { letterGroupsSchema, lettersSchema } from "../../../../infra/console/api/letters.ts";
import { allowingIn, GROW, keyOf, serveQueueConsole } from "../../../support/console-queue.ts";

const KEYS = ["w1", "w2", "w3", "odd"].map((name) => keyOf("a", name));
const dead = [...KEYS, keyOf("b", "secret-name")];
const messageOf = (key: string) =>
  key.endsWith("odd") ? "no disk is left" : `Widget ${key.split("/").at(-1)}-1 has no leaf`;

describe("groups of letters in the console", () => {
  it("are by function and error, those with the most keys first, page by page", async () => {
    await using world = await serveQueueConsole({ dead, messageOf });
    const all = letterGroupsSchema.parse((await world.get("/letter-groups")).body);
    expect(all.items.map(({ count }) => count)).toEqual([4, 1]);
    const [first, second] = all.items;
    expect(first).toMatchObject({
      function: GROW,
      reason: "MaxAttempts",
      error: "Transient Error: Widget … has no leaf",
    });
    const page = letterGroupsSchema.parse((await world.get("/letter-groups?limit=1")).body);
    const rest = letterGroupsSchema.parse((await world.get(`/letter-groups?limit=1&next=${page.next}`)).body);
    expect([page.items[0]?.id, rest.items[0]?.id, rest.next]).toEqual([first?.id, second?.id, undefined]);
    expect((await world.get("/letter-groups?function=other")).body["items"]).toEqual([]);
  });

  it("list the letters of one of them, with the size of all of it", async () => {
    await using world = await serveQueueConsole({ dead, messageOf });
    const { items } = letterGroupsSchema.parse((await world.get("/letter-groups")).body);
    const seen: string[] = [];
    let next = "";
    do {
      const { body } = await world.get(`/letters?group=${items[0]?.id}&limit=3${next}`);
      const page = lettersSchema.parse(body);
      expect(page.group).toEqual(items[0]);
      seen.push(...page.items.map(({ key }) => key));
      next = page.next === undefined ? "" : `&next=${page.next}`;
    } while (next !== "");
    expect(new Set(seen)).toEqual(new Set(dead.filter((key) => !key.endsWith("odd"))));
    expect(seen.length).toBe(4);
    expect(lettersSchema.parse((await world.get("/letters?group=gone")).body)).toMatchObject({ items: [] });
  });

  it("say how many keys are still dead once some were requeued, and requeue only these", async () => {
    await using world = await serveQueueConsole({ dead: KEYS, messageOf: () => "it is broken" });
    const [before] = letterGroupsSchema.parse((await world.get("/letter-groups")).body).items;
    expect(before).toMatchObject({ count: 4, dead: 4 });
    const [key = ""] = KEYS;
    const { items } = lettersSchema.parse((await world.get("/letters")).body);
    const { deadSince, times } = items.find((each) => each.key === key) ?? {};
    await world.press(`/letters/${GROW}/${encodeURIComponent(key)}/requeue`, { deadSince, times });
    await world.clock.advance(5_000);
    const [after] = letterGroupsSchema.parse((await world.get("/letter-groups")).body).items;
    expect(after).toMatchObject({ id: before?.id, count: 4, dead: 3 });
    const listed = lettersSchema.parse((await world.get(`/letters?group=${after?.id}`)).body);
    expect(listed.group).toEqual(after);
    const states = new Map(listed.items.map((each) => [each.key, each.state]));
    expect(states.get(key)).toBe("revived");
    const wanted = { action: "requeue", function: GROW, select: { group: after?.id } };
    expect(await world.press("/jobs", { ...wanted, count: 4 })).toMatchObject({
      status: 412,
      body: { current: { count: 3 } },
    });
    expect(await world.press("/jobs", { ...wanted, count: 3 })).toMatchObject({
      status: 200,
      body: { total: 3 },
    });
    expect(await world.press("/jobs", { ...wanted, action: "drop", count: 4 })).toMatchObject({
      status: 200,
    });
  });

  it("hold no letter of a namespace that the person does not see", async () => {
    await using world = await serveQueueConsole({ dead, messageOf, reviewer: allowingIn("a") });
    const { text, body } = await world.get("/letter-groups");
    expect(letterGroupsSchema.parse(body).items.map(({ count }) => count)).toEqual([3, 1]);
    expect(text).not.toContain("secret-name");
  });

  it("refuse cursors and limits that they do not know", async () => {
    await using world = await serveQueueConsole({ dead: KEYS });
    for (const [path, field] of [
      ["/letter-groups?next=foreign", "next"],
      ["/letter-groups?limit=1e9", "limit"],
      [`/letter-groups?function=${"x".repeat(10_000)}`, "function"],
      ["/letters?group=x&next=foreign", "next"],
      [`/letters?group=${"x".repeat(10_000)}`, "group"],
    ] as const) {
      const answer = await world.get(path);
      expect([path, answer.status, answer.body["field"]]).toEqual([path, 400, field]);
    }
  });
});
