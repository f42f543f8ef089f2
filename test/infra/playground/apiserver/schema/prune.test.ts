import { describe, expect, it } from "vitest";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { prune } from "../../../../../infra/playground/apiserver/schema/prune.ts";
import type { Schema } from "../../../../../infra/playground/apiserver/schema/schema.ts";
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
