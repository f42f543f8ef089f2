import { describe, expect, it } from "vitest";
import { sharedReads } from "../../../../infra/queue/store/shared-reads.ts";

function reads() {
  const calls: (readonly string[])[] = [];
  const read = sharedReads(
    3,
    (item: string) => item,
    async (items) => {
      calls.push(items);
      if (items.includes("broken")) throw new Error("Redis is away");
      return items.map((item) => ({ item }));
    },
  );
  return { calls, read };
}

describe("reads of one turn", () => {
  it("are one call, and equal ones share their result", async () => {
    const { calls, read } = reads();
    const [a, b, again] = await Promise.all([read("a"), read("b"), read("a")]);
    expect(calls).toEqual([["a", "b"]]);
    expect([a, b]).toEqual([{ item: "a" }, { item: "b" }]);
    expect(again).toBe(a);
    expect(await read("a")).not.toBe(a);
    expect(calls.length).toBe(2);
  });

  it("are several calls above the limit", async () => {
    const { calls, read } = reads();
    await Promise.all(["a", "b", "c", "d"].map(read));
    expect(calls).toEqual([["a", "b", "c"], ["d"]]);
  });

  it("all reject when their call does, and the next ones are asked again", async () => {
    const { read } = reads();
    const [a, broken] = await Promise.allSettled([read("a"), read("broken")]);
    expect([a?.status, broken?.status]).toEqual(["rejected", "rejected"]);
    expect(await read("a")).toEqual({ item: "a" });
  });
});
