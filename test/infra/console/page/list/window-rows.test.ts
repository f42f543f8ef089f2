import { describe, expect, it } from "vitest";
import { windowRows } from "../../../../../infra/console/page/list/window-rows.ts";

describe("rows in the document", () => {
  it.each([
    ["at the top", 10_000, 200, { first: 0, end: 27 }],
    ["scrolled", 10_000, -32_000, { first: 992, end: 1_033 }],
    ["at the end", 100, -3_000, { first: 85, end: 100 }],
    ["far below the list", 100, -90_000, { first: 100, end: 100 }],
    ["above the list", 100, 90_000, { first: 0, end: 12 }],
    ["of an empty list", 0, 0, { first: 0, end: 0 }],
  ])("%s are those of the screen and a margin", (_, count, top, expected) => {
    expect(windowRows(count, top, 32, 800)).toEqual(expected);
  });
});
