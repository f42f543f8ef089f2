import { describe, expect, it } from "vitest";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { applyDefaults, fillDefaults } from "../../../../../infra/playground/apiserver/schema/defaults.ts";
import type { Schema } from "../../../../../infra/playground/apiserver/schema/schema.ts";
import { WIDGET_SCHEMA } from "../widget-schema.ts";

const SCHEMA: Schema = {
  type: "object",
  properties: {
    outer: { type: "object", default: {}, properties: { inner: { type: "integer", default: 5 } } },
    note: { type: "string", nullable: true, default: "n" },
    color: { type: "string" },
    map: { type: "object", additionalProperties: { type: "string", default: "d" } },
    list: { type: "array", items: { type: "object", properties: { p: { type: "string", default: "TCP" } } } },
    texts: { type: "array", items: { type: "string" } },
  },
};

describe("defaults of a long list", () => {
  const item = (value: Json): Schema => ({ type: "object", properties: { a: { default: value } } });
  const list = (value: Json): Schema => ({ properties: { list: { type: "array", items: item(value) } } });
  const of = (length: number): Json => ({ list: Array.from({ length }, () => ({})) });

  it("add 4 MiB at most, whatever they consist of", () => {
    const large = "d".repeat(1024 * 1024 - 2);
    expect(applyDefaults(list(large), of(4))).toBeDefined();
    for (const schema of [list(large), list({ many: new Array(200_000).fill({ x: 1 }) })]) {
      expect(() => applyDefaults(schema, of(1_000))).toThrow("etcdserver: request is too large");
      expect(() => fillDefaults(schema, of(1_000))).toThrow("etcdserver: request is too large");
    }
  });
});

describe("defaults", () => {
  it("are filled in where their parent exists", () => {
    expect(applyDefaults(SCHEMA, { list: [{}, { p: "UDP" }] })).toEqual({
      outer: { inner: 5 },
      note: "n",
      list: [{ p: "TCP" }, { p: "UDP" }],
    });
    expect(applyDefaults(WIDGET_SCHEMA, { metadata: {} })).toEqual({ metadata: {} });
  });

  it("replace nulls where none are allowed; without a default the member goes", () => {
    const object: Json = { outer: null, note: null, color: null, map: { a: null }, texts: [null] };
    expect(applyDefaults(SCHEMA, object)).toEqual({
      outer: { inner: 5 },
      note: null,
      map: { a: "d" },
      texts: [null],
    });
  });

  it("leave a null without default to validation after an apply", () => {
    expect(fillDefaults(SCHEMA, { color: null, outer: {}, note: "x" })).toEqual({
      color: null,
      outer: { inner: 5 },
      note: "x",
    });
  });

  it("return the object itself when nothing is missing", () => {
    const object: Json = { spec: { mode: "Manual", items: [{ name: "a" }] } };
    expect(applyDefaults(WIDGET_SCHEMA, object)).toBe(object);
  });
});
