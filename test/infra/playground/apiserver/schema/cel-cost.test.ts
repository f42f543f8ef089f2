import { describe, expect, it } from "vitest";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { evaluateRules } from "../../../../../infra/playground/apiserver/schema/cel.ts";
import { CALL_COST_LIMIT, metered } from "../../../../../infra/playground/apiserver/schema/cel-cost.ts";
import { compiledRules } from "../../../../../infra/playground/apiserver/schema/cel-rules.ts";
import type { Schema } from "../../../../../infra/playground/apiserver/schema/schema.ts";

const TRIPLE = "self.items.all(a, self.items.all(b, self.items.all(c, a != b || b != c || a == c)))";

function schemaOf(...rules: readonly string[]): Schema {
  return {
    type: "object",
    properties: { items: { type: "array", items: { type: "string" } }, text: { type: "string" } },
    "x-kubernetes-validations": rules.map((rule) => ({ rule })),
  };
}

const items = (count: number): Json => ({ items: Array.from({ length: count }, (_, index) => `i${index}`) });

function costOf(rule: string, self: Readonly<Record<string, unknown>>): number {
  const [compiled] = compiledRules(schemaOf(rule)).usable;
  if (compiled === undefined) throw new Error(`not compiled: ${rule}`);
  return metered(() => compiled.program({ self: new Map(Object.entries(self)) as never })).cost;
}

describe("the cost of CEL rules", () => {
  it("A5: ends an evaluation where kube-apiserver 1.34.2 ends it, with its words", () => {
    expect(evaluateRules(schemaOf(TRIPLE), items(54), undefined)).toEqual([]);
    for (const count of [55, 200]) {
      expect(evaluateRules(schemaOf(TRIPLE, "self.items.size() < 2"), items(count), undefined)).toEqual([
        {
          reason: "FieldValueInvalid",
          message: `Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${TRIPLE}`,
          field: "<nil>",
        },
      ]);
    }
  });

  it("A5: is bounded for all rules of an object together", () => {
    const rules = Array.from({ length: 24 }, (_, index) => `${TRIPLE} || ${index} > 100`);
    expect(evaluateRules(schemaOf(...rules), items(20), undefined)).toEqual([]);
    expect(evaluateRules(schemaOf(...rules), items(45), undefined)).toEqual([
      {
        reason: "FieldValueInvalid",
        message:
          'Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
        field: "<nil>",
      },
    ]);
  });

  it("grows with the texts and lists that functions look at, before they do", () => {
    const text = "x".repeat(10_000);
    expect(costOf("self.text == 'a'", { text })).toBe(3);
    expect(costOf("self.text == self.text", { text })).toBe(1_004);
    expect(costOf("self.text + self.text != ''", { text })).toBeGreaterThan(2_000);
    expect(costOf("self.text.matches('^x+$')", { text })).toBeGreaterThanOrEqual(1_000);
    const list = Array.from({ length: 1_000 }, (_, index) => `${index}`);
    expect(costOf("'x' in self.list", { list })).toBeGreaterThanOrEqual(1_000);
    expect(costOf("self.list == self.list", { list })).toBeGreaterThanOrEqual(100);
  });

  it("breaks off what would fill the memory, and what absorbs errors", () => {
    const text = "x".repeat(100_000);
    for (const rule of [
      "self.text.replace('x', self.text).size() > 0",
      "self.list.join(self.text).size() > 0",
      "self.text.contains(self.text)",
      "self.list.all(a, self.list.all(b, self.list.all(c, true))) || true",
      "self.list.map(a, self.list.map(b, self.list)).size() > 0",
    ]) {
      const list = Array.from({ length: 1_000 }, (_, index) => `${index}`);
      expect([rule, costOf(rule, { text, list }) > CALL_COST_LIMIT]).toEqual([rule, true]);
    }
  });

  it("of a message beside the limit leaves it out", () => {
    const [rule] = schemaOf("self.items.size() < 2")["x-kubernetes-validations"] ?? [];
    if (rule === undefined) throw new Error("no rule");
    const messageExpression = `${TRIPLE} ? 'a' : 'b'`;
    const schema = { ...schemaOf(), "x-kubernetes-validations": [{ ...rule, messageExpression }] };
    const [cause] = evaluateRules(schema, items(10), undefined);
    expect(cause?.message).toBe('Invalid value: "object": a');
    const [refused] = evaluateRules(schema, items(200), undefined);
    expect(refused?.message).toBe('Invalid value: "object": failed rule: self.items.size() < 2');
  });
});
