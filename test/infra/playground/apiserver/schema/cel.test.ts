import { describe, expect, it } from "vitest";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { evaluateRules, uncompilableRules } from "../../../../../infra/playground/apiserver/schema/cel.ts";
import type { Schema, ValidationRule } from "../../../../../infra/playground/apiserver/schema/schema.ts";

function ruled(schema: Schema, ...rules: (string | ValidationRule)[]): Schema {
  const list = rules.map((rule) => (typeof rule === "string" ? { rule } : rule));
  return { type: "object", properties: { spec: { ...schema, "x-kubernetes-validations": list } } };
}

const text: Schema = { type: "string" };
const texts: Schema = { type: "array", items: text };

function isAccepted(schema: Schema, rule: string, value: Json): boolean {
  expect(uncompilableRules(ruled(schema, rule))).toEqual([]);
  return evaluateRules(ruled(schema, rule), { spec: value }, undefined).length === 0;
}

describe("CEL rules", () => {
  it("accept and refuse as in the CRDs of Cluster API and its providers", () => {
    const union: Schema = { type: "object", properties: { kind: text, prefix: text, layout: text } };
    const cases: readonly [Schema, string, Json, Json][] = [
      [texts, "self.all(x, self.exists_one(y, x == y))", ["a", "b"], ["a", "a"]],
      [
        { type: "array", items: { type: "object", properties: { name: text } } },
        "self.all(x, self.exists_one(y, x.name == y.name))",
        [{ name: "a" }, { name: "b" }],
        [{ name: "a" }, { name: "a" }],
      ],
      [text, "!(self in ['Ready','Available'])", "Mine", "Ready"],
      [text, "self.matches('^[0-9]{12}$')", "123456789012", "12"],
      [text, "self.startsWith('cagw-')", "cagw-1", "x"],
      [
        union,
        "self.kind == 'Prefix' ? has(self.prefix) : !has(self.prefix)",
        { kind: "Prefix", prefix: "x" },
        { kind: "Prefix" },
      ],
      [union, "[has(self.layout),has(self.prefix)].filter(x,x==true).size() == 1", { layout: "x" }, {}],
    ];
    for (const [schema, rule, good, bad] of cases) {
      expect([rule, isAccepted(schema, rule, good), isAccepted(schema, rule, bad)]).toEqual([
        rule,
        true,
        false,
      ]);
    }
  });

  it("see integers, numbers, maps and the functions Kubernetes adds", () => {
    const numbers: Schema = {
      type: "object",
      properties: { a: { type: "integer" }, d: { type: "number" }, "x-y": text },
    };
    expect(
      isAccepted(numbers, "self.a + 1 == 3 && self.d < 2.5 && self.x__dash__y == 'z'", {
        a: 2,
        d: 2,
        "x-y": "z",
      }),
    ).toBe(true);
    expect(
      isAccepted({ type: "object", additionalProperties: text }, "self.all(k, size(self[k]) < 3)", {
        k: "ab",
      }),
    ).toBe(true);
    const list: Schema = { type: "array", items: { type: "integer" } };
    expect(
      isAccepted(list, "self.isSorted() && self.min() == 1 && self.max() == 3 && self.sum() == 6", [1, 2, 3]),
    ).toBe(true);
    expect(
      isAccepted(text, "isURL(self) && !isIP(self) && !isCIDR(self) && isQuantity('5Gi')", "http://a"),
    ).toBe(true);
    expect(
      isAccepted(texts, "self.map(x, x + '!').exists(x, x == 'a!') && 'b'.upperAscii() == 'B'", ["a"]),
    ).toBe(true);
  });

  it("try transitions only where there is a stored value", () => {
    const schema = ruled(text, { rule: "self == oldSelf", message: "is immutable" });
    expect(evaluateRules(schema, { spec: "a" }, undefined)).toEqual([]);
    expect(evaluateRules(schema, { spec: "a" }, {})).toEqual([]);
    expect(evaluateRules(schema, { spec: "a" }, { spec: "a" })).toEqual([]);
    expect(evaluateRules(schema, { spec: "a" }, { spec: "b" })).toEqual([
      { reason: "FieldValueInvalid", message: 'Invalid value: "string": is immutable', field: "spec" },
    ]);
  });

  it("find the stored counterpart of a keyed list's member", () => {
    const schema: Schema = {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        properties: { name: text, v: { ...text, "x-kubernetes-validations": [{ rule: "self == oldSelf" }] } },
      },
    };
    const causes = evaluateRules(
      schema,
      [
        { name: "b", v: "1" },
        { name: "a", v: "2" },
      ],
      [{ name: "a", v: "1" }],
    );
    expect(causes.map((cause) => cause.field)).toEqual(["[1].v"]);
  });

  it("use the rule's message, reason and path", () => {
    const schema = ruled(
      { type: "object", properties: { a: text } },
      { rule: "has(self.a)", reason: "FieldValueRequired", fieldPath: ".a", message: "needs a" },
      { rule: "false", messageExpression: "'got ' + string(size(self))" },
      { rule: "false", reason: "FieldValueForbidden", message: "no" },
    );
    expect(evaluateRules(schema, { spec: {} }, undefined)).toEqual([
      { reason: "FieldValueRequired", message: "Required value: needs a", field: "spec.a" },
      { reason: "FieldValueInvalid", message: 'Invalid value: "object": got 0', field: "spec" },
      { reason: "FieldValueForbidden", message: "Forbidden: no", field: "spec" },
    ]);
  });

  it("refuse the object when a rule fails to evaluate", () => {
    const [cause] = evaluateRules(ruled({ type: "object" }, "self.nope > 1"), { spec: {} }, undefined);
    expect(cause?.message).toContain("evaluating rule: self.nope > 1");
  });

  it("name rules that cannot be used and pass over them", () => {
    const schema = ruled(text, "bogus(self)", "self.??", {
      rule: "oldSelf.hasValue()",
      optionalOldSelf: true,
    });
    expect(uncompilableRules(schema)).toEqual(["bogus(self)", "self.??", "oldSelf.hasValue()"]);
    expect(evaluateRules(schema, { spec: "a" }, { spec: "b" })).toEqual([]);
  });
});
