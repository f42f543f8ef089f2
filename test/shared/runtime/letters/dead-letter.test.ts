import { describe, expect, it } from "vitest";
import { parseDeadLetter } from "../../../../shared/runtime/letters/dead-letter.ts";
import { deadLetter } from "../../../support/letters.ts";

const NEXT_STEP = "write it with capstan dlq export FUNCTION KEY";

describe("a dead letter from outside", () => {
  it("is taken when it has the right shape", () => {
    expect(parseDeadLetter(JSON.parse(JSON.stringify(deadLetter())))).toEqual(deadLetter());
  });

  it.each([
    ["no object", 7, "the whole"],
    ["another version", { ...deadLetter(), v: 3 }, "field v"],
    ["a function that is a path", { ...deadLetter(), function: "../../etc" }, "field function"],
    ["a key of a MiB", { ...deadLetter(), key: "a".repeat(1_048_576) }, "field key"],
    ["no attempts", { ...deadLetter(), attempts: [] }, "field attempts"],
    [
      "a clock that is not an instant",
      { ...deadLetter(), run: { ...deadLetter().run, clock: "now" } },
      "field run.clock",
    ],
    [
      "a read of an unknown form",
      { ...deadLetter(), run: { ...deadLetter().run, reads: [{ question: { call: "exec" } }] } },
      "field run.reads.0.question.call",
    ],
    ["a member named __proto__", JSON.parse('{"v":1,"run":{"__proto__":{"polluted":true}}}'), "__proto__"],
    ["nesting without end", nested(100_000), "nested more than 200 deep"],
  ])("is refused with %s, naming the field and the next step", (_, value, field) => {
    const refusal = refusalOf(value);
    expect(refusal).toContain(field);
    expect(refusal).toContain(NEXT_STEP);
    expect(refusal.length).toBeLessThan(1_000);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

function refusalOf(value: unknown): string {
  try {
    parseDeadLetter(value);
    return "taken";
  } catch (error) {
    return String(error);
  }
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}
