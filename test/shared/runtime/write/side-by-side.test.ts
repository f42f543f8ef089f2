import { describe, expect, it } from "vitest";
import { sideBySide } from "../../../../shared/runtime/write/side-by-side.ts";

const ITEMS = Array.from({ length: 20 }, (_, at) => at);

describe("requests of one decision", () => {
  it("are begun in their order, eight at a time, each once", async () => {
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    await sideBySide(ITEMS, async (item) => {
      begun.push(item);
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
    });
    expect(begun).toEqual(ITEMS);
    expect([most, running]).toEqual([8, 0]);
  });

  it("do not wait for one that is slow, but are over only with it", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const ended: number[] = [];
    const all = sideBySide(ITEMS, async (item) => {
      if (item === 0) await promise;
      ended.push(item);
      if (ended.length === ITEMS.length - 1) resolve();
    });
    await all;
    expect(ended.at(-1)).toBe(0);
    expect(ended).toHaveLength(ITEMS.length);
  });

  it("end with the first error: none is begun after it", async () => {
    const begun: number[] = [];
    const all = sideBySide(ITEMS, async (item) => {
      begun.push(item);
      await Promise.resolve();
      if (item === 3) throw new Error("the lease is lost");
    });
    await expect(all).rejects.toThrow("the lease is lost");
    const then = begun.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toHaveLength(then);
    expect(then).toBeLessThan(ITEMS.length);
  });

  it("may be none", async () => {
    await sideBySide([], () => Promise.reject(new Error("called")));
  });
});
