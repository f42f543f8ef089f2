import { describe, expect, it } from "vitest";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import type { Schema } from "../../../../../infra/playground/apiserver/schema/schema.ts";
import { validate } from "../../../../../infra/playground/apiserver/schema/validate.ts";
import { WIDGET_SCHEMA } from "../widget-schema.ts";

function problems(schema: Schema, value: Json): string[] {
  return validate({ type: "object", properties: { f: schema } }, { f: value }).map(
    ({ reason, message, field }) => `${reason} ${field}: ${message}`,
  );
}

/** Only what never ends takes longer. */
const HANG_MS = 300_000;

describe("validation", () => {
  it("words problems as the real server does", () => {
    const object: Json = {
      spec: { size: 101, color: [1], set: ["a", "a"], items: [{ name: "a" }, { name: "a" }, { value: "x" }] },
    };
    expect(validate(WIDGET_SCHEMA, object)).toEqual([
      {
        reason: "FieldValueInvalid",
        field: "spec.size",
        message: "Invalid value: 101: spec.size in body should be less than or equal to 100",
      },
      {
        reason: "FieldValueTypeInvalid",
        field: "spec.color",
        message: 'Invalid value: "array": spec.color in body must be of type string: "array"',
      },
      { reason: "FieldValueDuplicate", field: "spec.set[1]", message: 'Duplicate value: "a"' },
      { reason: "FieldValueRequired", field: "spec.items[2].name", message: "Required value" },
      { reason: "FieldValueDuplicate", field: "spec.items[1]", message: 'Duplicate value: {"name":"a"}' },
    ]);
  });

  it("accepts and refuses by every keyword", () => {
    const cases: readonly [Schema, Json, Json][] = [
      [{ type: "integer" }, 1.0, 1.5],
      [{ type: "number" }, 1.5, "x"],
      [{ type: "boolean" }, true, "true"],
      [{ type: "string", nullable: true }, null, 1],
      [{ type: "string" }, "x", null],
      [{ "x-kubernetes-int-or-string": true }, "50%", true],
      [{ type: "string", enum: ["a", "b"] }, "a", "c"],
      [{ type: "integer", minimum: 1 }, 1, 0],
      [{ type: "integer", minimum: 1, exclusiveMinimum: true }, 2, 1],
      [{ type: "integer", maximum: 1, exclusiveMaximum: true }, 0, 1],
      [{ type: "integer", multipleOf: 2 }, 4, 3],
      [{ type: "string", minLength: 2 }, "ab", "😀"],
      [{ type: "string", maxLength: 2 }, "😀😀", "abc"],
      [{ type: "string", pattern: "^[a-z]+$" }, "abc", "aBc"],
      [{ type: "string", format: "date-time" }, "2026-11-21T00:00:00.5+01:00", "2026-11-21"],
      [{ type: "string", format: "date" }, "2026-11-21", "2026-13-01"],
      [{ type: "string", format: "byte" }, "YWI=", "a"],
      [{ type: "string", format: "uri" }, "https://a/b", "::"],
      [{ type: "string", format: "ipv4" }, "10.0.0.1", "10.0.0"],
      [{ type: "string", format: "cidr" }, "10.0.0.0/8", "10.0.0.0/33"],
      [{ type: "string", format: "duration" }, "1h30m", "1x"],
      [{ type: "string", format: "unheard-of" }, "x", 1],
      [{ type: "array", minItems: 1 }, [1], []],
      [{ type: "array", maxItems: 1 }, [1], [1, 2]],
      [
        { type: "array", uniqueItems: true },
        [{ a: 1 }, { a: 2 }],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
      [{ type: "object", minProperties: 1 }, { a: 1 }, {}],
      [{ type: "object", maxProperties: 1 }, { a: 1 }, { a: 1, b: 1 }],
      [{ type: "object", additionalProperties: { type: "integer" } }, { a: 1 }, { a: "x" }],
      [{ oneOf: [{ required: ["a"] }, { required: ["b"] }] }, { a: 1 }, { a: 1, b: 1 }],
      [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, 2, 4],
      [{ not: { required: ["a"] } }, { b: 1 }, { a: 1 }],
    ];
    for (const [schema, good, bad] of cases) {
      expect([schema, problems(schema, good)]).toEqual([schema, []]);
      expect([schema, problems(schema, bad).length]).toEqual([schema, 1]);
    }
  });

  it("says of alternatives what the nearest one objects to", () => {
    const anyOf = [{ type: "integer" }, { type: "string", maxLength: 1 }];
    expect(problems({ anyOf }, 1)).toEqual([]);
    const fields = (schema: Schema, value: Json) => problems(schema, value).map((text) => text.split(":")[0]);
    expect(fields({ anyOf }, true)).toEqual(["FieldValueInvalid <nil>", "FieldValueTypeInvalid f"]);
    const oneOf = [{ required: ["a"] }, { required: ["b"] }];
    expect(fields({ oneOf }, {})).toEqual(["FieldValueInvalid <nil>", "FieldValueRequired f.a"]);
  });

  it("names the limits", () => {
    expect(problems({ type: "string", enum: ["red", "green"] }, "pink")).toEqual([
      'FieldValueNotSupported f: Unsupported value: "pink": supported values: "red", "green"',
    ]);
    expect(problems({ type: "string", maxLength: 10 }, "12345678901")).toEqual([
      "FieldValueTooLong f: Too long: may not be more than 10 bytes",
    ]);
    expect(problems({ type: "array", maxItems: 1 }, [1, 2])).toEqual([
      "FieldValueTooMany f: Too many: 2: must have at most 1 item",
    ]);
  });

  it("lets stay what was stored before the schema forbade it, in members and keyed lists", () => {
    const items = {
      type: "object",
      properties: { name: { type: "string" }, v: { type: "string", maxLength: 1 } },
    };
    const keyed = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] } as const;
    const schema = { type: "object", properties: { list: { type: "array", items, ...keyed } } } as const;
    const old = { list: [{ name: "a", v: "long" }] };
    const next = (v: string) => ({ list: [{ name: "b" }, { name: "a", v }] });
    expect(validate(schema, next("long"), old)).toEqual([]);
    expect(validate(schema, next("longer"), old).map(({ field }) => field)).toEqual(["list[1].v"]);
  });

  it("tries alternatives within alternatives once each", () => {
    let schema: Schema = { type: "string" };
    for (let level = 0; level < 40; level++) schema = level % 2 ? { anyOf: [schema] } : { oneOf: [schema] };
    // Three to the power of forty tries, when each level took three.
    expect(validate(schema, 5)).toHaveLength(41);
    let deep: Schema = { type: "string" };
    for (let level = 0; level < 40; level++) deep = { not: { not: deep } };
    expect(validate(deep, 5)).toHaveLength(1);
  });

  it("stops after a hundred problems, or the given number", () => {
    const schema: Schema = { type: "array", items: { type: "string" } };
    const numbers: Json = Array.from({ length: 1_000 }, (_, n) => n);
    expect(validate(schema, numbers)).toHaveLength(101);
    expect(validate(schema, numbers, undefined, 500)).toHaveLength(501);
    expect(validate(schema, numbers, undefined, Number.POSITIVE_INFINITY)).toHaveLength(1_000);
  });

  it(
    "finds the stored members of a long keyed list without comparing each with each",
    () => {
      const schema: Schema = {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: { type: "object", properties: { name: { type: "string" }, at: { type: "integer" } } },
      };
      const list = (at: number): Json =>
        Array.from({ length: 60_000 }, (_, index) => ({ name: `n${index}`, at }));
      expect(validate(schema, list(1), list(2))).toEqual([]);
    },
    HANG_MS,
  );
});
