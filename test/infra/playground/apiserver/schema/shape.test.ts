import { describe, expect, it } from "vitest";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import type { Schema } from "../../../../../infra/playground/apiserver/schema/schema.ts";
import {
  applyDefaults,
  fillDefaults,
  prune,
} from "../../../../../infra/playground/apiserver/schema/shape.ts";
import { WIDGET_SCHEMA } from "../widget-schema.ts";

const TEMPLATE: Schema = {
  type: "object",
  properties: {
    template: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
    },
    free: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { known: { type: "object", properties: { a: { type: "string" } } } },
    },
    untyped: { type: "object" },
    map: { type: "object", additionalProperties: { type: "object", properties: { a: { type: "string" } } } },
  },
};

describe("pruning", () => {
  it("drops undeclared members and says where they were", () => {
    const object = {
      apiVersion: "v1",
      kind: "Widget",
      metadata: { name: "a", anything: 1 },
      spec: { size: 1, bogus: 1, nested: { zz: 1 }, items: [{ name: "a", x: 1 }] },
      extra: {},
    };
    const { value, unknown } = prune(WIDGET_SCHEMA, object);
    expect(value).toEqual({
      ...object,
      spec: { size: 1, nested: {}, items: [{ name: "a" }] },
      extra: undefined,
    });
    expect(unknown).toEqual(["spec.bogus", "spec.nested.zz", "spec.items[0].x", "extra"]);
  });

  it("returns the object itself when nothing is unknown", () => {
    const object: Json = {
      apiVersion: "v1",
      kind: "Widget",
      metadata: {},
      spec: { items: [{ name: "a" }], free: { x: {} } },
    };
    expect(prune(WIDGET_SCHEMA, object).value).toBe(object);
  });

  it("keeps free-form content, but prunes declared parts of it", () => {
    const object: Json = { free: { known: { a: "x", b: 1 }, other: { b: [{ c: 1 }] } }, untyped: { a: 1 } };
    expect(prune(TEMPLATE, object)).toEqual({
      value: { free: { known: { a: "x" }, other: { b: [{ c: 1 }] } }, untyped: {} },
      unknown: ["free.known.b", "untyped.a"],
    });
  });

  it("keeps type and metadata of embedded resources and prunes the rest of them", () => {
    const template = {
      apiVersion: "v1",
      kind: "X",
      metadata: { labels: { a: "b" } },
      spec: { a: "x", b: 1 },
    };
    expect(prune(TEMPLATE, { template, map: { k: { a: "x", b: 1 } } })).toEqual({
      value: { template: { ...template, spec: { a: "x" } }, map: { k: { a: "x" } } },
      unknown: ["template.spec.b", "map.k.b"],
    });
  });

  it("keeps names that every object inherits where everything is kept", () => {
    const object = JSON.parse('{"free": {"__proto__": {"x": 1}, "a": {"constructor": 1}}}');
    expect(prune(TEMPLATE, object).unknown).toEqual([]);
    expect(JSON.stringify(prune(TEMPLATE, object).value)).toBe(JSON.stringify(object));
  });
});

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
