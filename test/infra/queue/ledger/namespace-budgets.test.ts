import { describe, expect, it } from "vitest";
import { NamespaceBudgets } from "../../../../infra/queue/ledger/namespace-budgets.ts";

const NOW = 1_000_000;

describe("the runs a second of a namespace", () => {
  it("S-31: come at once after a rest, then at equal distances, for all of its Clusters together", () => {
    const budgets = new NamespaceBudgets();
    const slots = Array.from({ length: 6 }, (_, n) =>
      budgets.take(NOW, `team/c${n % 2}|Machine|team/m${n}`, 4),
    );
    expect(slots.map((slot) => slot - NOW)).toEqual([-750, -500, -250, 0, 250, 500]);
    expect(budgets.take(NOW, "other/c1|Machine|other/m1", 4)).toBeLessThanOrEqual(NOW);
  });

  it("S-31: are as many as before after one second without runs, and no more", () => {
    const budgets = new NamespaceBudgets();
    const now = (ms: number, count: number) =>
      Array.from({ length: count }, () => budgets.take(NOW + ms, "team/c1|Machine|team/m1", 2)).filter(
        (slot) => slot <= NOW + ms,
      ).length;
    expect(now(0, 2)).toBe(2);
    expect(now(1_000, 2)).toBe(2);
    expect(now(60_000, 5)).toBe(2);
  });
});
