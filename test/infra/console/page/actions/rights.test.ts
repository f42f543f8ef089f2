import { describe, expect, it } from "vitest";
import type { Me } from "../../../../../infra/console/api/me.ts";
import { mayAct, mayActOnMany, mayPause, mayTry } from "../../../../../infra/console/page/actions/rights.ts";

const ACTIONS = [
  "POST /letters/{function}/{key}/requeue",
  "POST /letters/{function}/{key}/drop",
  "POST /queue/{function}/pause",
  "POST /jobs",
  "POST /trials",
];
const me = (may: Partial<Me["may"]>, routes: readonly string[] = ACTIONS) =>
  ({ may: { requeue: [], drop: [], pause: false, try: [], ...may }, routes }) as unknown as Me;

describe("the actions of a page", () => {
  it("are offered where the person has the right", () => {
    const some = me({ requeue: ["a"], drop: "all", pause: true, try: ["a"] });
    expect(mayAct(some, "requeue", "a")).toBe(true);
    expect(mayAct(some, "requeue", "b")).toBe(false);
    expect(mayAct(some, "requeue", undefined)).toBe(false);
    expect(mayAct(some, "drop", undefined)).toBe(true);
    expect(mayActOnMany(some, "requeue")).toBe(true);
    expect(mayPause(some)).toBe(true);
    expect(mayTry(some)).toBe(true);
  });

  it("are absent without the right, without the route, and before the person is known", () => {
    const everything = { requeue: "all", drop: "all", pause: true, try: "all" } as const;
    for (const person of [me({}), me(everything, []), undefined]) {
      expect(mayAct(person, "requeue", "a")).toBe(false);
      expect(mayActOnMany(person, "drop")).toBe(false);
      expect(mayPause(person)).toBe(false);
      expect(mayTry(person)).toBe(false);
    }
  });
});
