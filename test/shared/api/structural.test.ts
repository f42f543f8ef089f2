import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  atomicList,
  intOrString,
  mapList,
  notEmpty,
  stringMap,
  text,
  time,
} from "../../../shared/api/meta.ts";
import { toStructural } from "../../../shared/api/structural.ts";

function propertyOf(schema: z.ZodType): unknown {
  return toStructural(z.object({ field: schema })).properties?.["field"];
}

describe("structural schemas", () => {
  it.each<[string, z.ZodType, object]>([
    ["int32 without its bounds", z.int32(), { type: "integer", format: "int32" }],
    ["int32 with a limit", z.int32().min(1).optional(), { type: "integer", format: "int32", minimum: 1 }],
    ["int64", z.int().min(1), { type: "integer", format: "int64", minimum: 1 }],
    ["a default", z.int32().min(0).default(1), { type: "integer", format: "int32", minimum: 0, default: 1 }],
    ["a time", time, { type: "string", format: "date-time" }],
    [
      "a count or percentage",
      intOrString().optional(),
      { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
    ],
    [
      "any JSON",
      z.unknown().meta({ "x-kubernetes-preserve-unknown-fields": true }),
      {
        "x-kubernetes-preserve-unknown-fields": true,
      },
    ],
    ["a map of strings", stringMap(), { type: "object", additionalProperties: { type: "string" } }],
    [
      "a pattern with slashes",
      text(1, 9, "^a/b\\/c$"),
      {
        type: "string",
        minLength: 1,
        maxLength: 9,
        pattern: "^a/b/c$",
      },
    ],
    [
      "an object that must not be empty",
      notEmpty({ a: z.boolean().optional() }),
      {
        type: "object",
        minProperties: 1,
        properties: { a: { type: "boolean" } },
      },
    ],
    [
      "a closed object",
      z.strictObject({ a: z.boolean() }),
      {
        type: "object",
        properties: { a: { type: "boolean" } },
        required: ["a"],
      },
    ],
    [
      "a list with one writer",
      atomicList(z.string(), { max: 2 }),
      {
        type: "array",
        items: { type: "string" },
        maxItems: 2,
        "x-kubernetes-list-type": "atomic",
      },
    ],
    [
      "a list by key",
      mapList(z.object({ name: z.string() }), ["name"], { min: 1 }),
      {
        type: "array",
        items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        minItems: 1,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
      },
    ],
  ])("write %s as Kubernetes does", (_, schema, expected) => {
    expect(propertyOf(schema)).toEqual(expected);
  });

  it("leave metadata, and the duty to have it, to the API server", () => {
    const schema = z.object({
      apiVersion: z.string(),
      metadata: z.looseObject({ name: z.string() }),
      spec: z.object({}),
    });
    expect(toStructural(schema)).toMatchObject({
      properties: { metadata: { type: "object" } },
      required: ["spec"],
    });
  });
});
