import { describe, expect, it } from "vitest";
import { createListBounds } from "../../../../infra/platform/kube/list-bounds.ts";
import type { Kind } from "../../../../shared/api/kinds.ts";
import { virtualClock } from "../../../support/clock.ts";

const Thing: Kind = { group: "", version: "v1", kind: "Thing", plural: "things", namespaced: true };

function bounds() {
  const clock = virtualClock();
  const list = createListBounds({ kind: Thing, verb: "list", server: "10.0.0.1:6443" }, clock);
  return { clock, page: (items: number, first = false) => list.check({ items, first, token: "more" }) };
}

const tooLarge = (what: string) =>
  expect.objectContaining({
    reason: "TooLarge",
    message: `list things: the list ${what} (from 10.0.0.1:6443)`,
  });

describe("the bounds of a list (KR-20)", () => {
  it("KR-20: are more objects than any fleet has", () => {
    const { page } = bounds();
    page(100_000, true);
    page(100_000);
    expect(() => page(1)).toThrow(tooLarge("has more than 200000 objects"));
  });

  it("KR-20: start over with a list that starts over, three times", () => {
    const { page } = bounds();
    for (let turn = 0; turn < 4; turn += 1) page(150_000, true);
    expect(() => page(1, true)).toThrow(tooLarge("has expired 4 times before its end"));
  });

  it("KR-20: are ten pages in a row without an item", () => {
    const { page } = bounds();
    for (let turn = 0; turn < 5; turn += 1) {
      for (let empty = 0; empty < 10; empty += 1) page(0);
      page(1);
    }
    for (let empty = 0; empty < 10; empty += 1) page(0);
    expect(() => page(0)).toThrow(tooLarge("continues after 10 pages without an item"));
  });

  it("KR-20: are 10,000 pages", () => {
    const { page } = bounds();
    for (let turn = 0; turn < 10_000; turn += 1) page(1);
    expect(() => page(1)).toThrow(tooLarge("has more than 10000 pages"));
  });

  it("KR-20: are 20 minutes", async () => {
    const { page, clock } = bounds();
    page(1, true);
    await clock.advance(20 * 60_000);
    page(1);
    await clock.advance(1);
    expect(() => page(1)).toThrow(tooLarge("has not ended within 20 minutes"));
  });
});
