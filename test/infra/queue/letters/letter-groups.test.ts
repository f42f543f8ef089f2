import { describe, expect, it } from "vitest";
import { errorPattern } from "../../../../infra/queue/letters/error-pattern.ts";
import { groupIdOf, groupLetters } from "../../../../infra/queue/letters/letter-groups.ts";
import type { DeadLetterHead } from "../../../../shared/runtime/letters/dead-letter.ts";

function head(name: string, message: string, rest: Partial<DeadLetterHead> = {}): DeadLetterHead {
  return {
    function: "machine-node",
    key: `default/c1|Machine|default/${name}`,
    tenant: "default/c1",
    class: "live",
    reason: "MaxAttempts",
    deadSince: "2026-01-01T12:00:00.000Z",
    firstFailureAt: "2026-01-01T11:00:00.000Z",
    times: 1,
    error: { class: "Transient", reason: "NoAnswer", message },
    ...rest,
  };
}

describe("the pattern of an error", () => {
  it.each([
    ["Machine default/m1 has no Node n-17", "Machine … has no Node …"],
    ["kubeconfig Secret c1-kubeconfig: key value missing", "kubeconfig Secret …: key value missing"],
    ['Node "worker" (10.0.0.7:6443) took 1500ms', "Node … (…) took …"],
    [
      "operation cannot be fulfilled on web: object was modified",
      "operation cannot be fulfilled on …: object was modified",
    ],
    ["", ""],
    ["   \n\t ", ""],
    ["((((", "(((("],
  ])("of %j is %j", (message, pattern) => {
    expect(errorPattern(message, ["web"])).toBe(pattern);
  });

  it("of a megabyte of anything is short", () => {
    for (const text of ['"', "a-", "(", "a".repeat(30), "\u{1F600}", ": "])
      expect(errorPattern(text.repeat(1_000_000 / text.length)).length).toBeLessThanOrEqual(2_001);
  });
});

describe("groups of letters", () => {
  it("are one for 4,000 letters with one cause, whatever their objects are called", async () => {
    const letters = Array.from({ length: 4_000 }, (_, at) =>
      head(`m${at}`, `Machine default/m${at}: server 10.0.0.${at % 255} does not answer`),
    );
    const { items, ungrouped } = await groupLetters([
      ...letters,
      head("x", "Machine default/x: certificate of 10.0.0.1 has expired"),
    ]);
    expect(ungrouped).toBe(0);
    expect(items).toMatchObject([
      {
        function: "machine-node",
        reason: "MaxAttempts",
        error: "Transient NoAnswer: Machine …: server … does not answer",
        count: 4_000,
        examples: letters.slice(0, 3).map(({ key }) => key),
      },
      { count: 1, error: "Transient NoAnswer: Machine …: certificate of … has expired" },
    ]);
    expect(items[0]?.id).toBe(groupIdOf(head("m9", "Machine default/m9: server 10.0.0.9 does not answer")));
  });

  it("are apart by function, death, class and reason of the error", async () => {
    const one = head("m1", "away");
    const { items } = await groupLetters([
      one,
      { ...one, function: "machine-drain" },
      { ...one, reason: "Terminal" },
      { ...one, error: { ...one.error, class: "Terminal" } },
      { ...one, error: { ...one.error, reason: "Other" } },
    ]);
    expect(new Set(items.map(({ id }) => id)).size).toBe(5);
  });

  it("know the longest and the shortest dead", async () => {
    const at = (deadSince: string) => head("m1", "away", { deadSince });
    const times = ["2026-01-02T00:00:00.000Z", "2026-01-01T00:00:00.000Z", "2026-01-03T00:00:00.000Z"];
    const { items } = await groupLetters(times.map(at));
    expect(items[0]).toMatchObject({ oldest: times[1], newest: times[2] });
  });

  it("count the keys that are still dead, and those with the most of them come first", async () => {
    const one = (name: string, isDead: boolean) => ({ ...head(name, "away"), isDead });
    const { items } = await groupLetters([
      one("m1", false),
      one("m2", true),
      one("m3", false),
      { ...head("m4", "certificate"), isDead: true },
      { ...head("m5", "certificate"), isDead: true },
    ]);
    expect(items.map(({ count, dead }) => [count, dead])).toEqual([
      [2, 2],
      [3, 1],
    ]);
    expect((await groupLetters([head("m1", "away")])).items[0]).not.toHaveProperty("dead");
  });

  it("are bounded, and say how many letters are in none", async () => {
    const words = (at: number) => [...String(at)].map((digit) => "abcdefghij"[Number(digit)]).join("");
    const letters = Array.from({ length: 3_000 }, (_, at) => head("m1", `bad ${words(at)}`));
    const { items, ungrouped } = await groupLetters(letters);
    expect([items.length, ungrouped]).toEqual([2_000, 1_000]);
  });
});
