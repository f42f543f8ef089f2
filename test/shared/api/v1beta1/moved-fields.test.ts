import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dropEmpty, moveFields } from "../../../../shared/api/v1beta1/moved-fields.ts";

describe("moving fields", () => {
  it("lets two fields change places", () => {
    const moved = [
      { from: "a.x", to: "b.x" },
      { from: "b.x", to: "a.x" },
    ];
    expect(moveFields({ a: { x: 1, y: 2 }, b: { x: 3 } }, moved, "default")).toEqual({
      a: { x: 3, y: 2 },
      b: { x: 1 },
    });
  });

  it("takes objects along that nothing is left in", () => {
    expect(moveFields({ old: { deep: { x: 1 } } }, [{ from: "old.deep.x", to: "x" }], "default")).toEqual({
      x: 1,
    });
  });

  it("converts with the place that a value had", () => {
    const as = (value: unknown, place: object) => [value, place];
    expect(moveFields({ a: 1 }, [{ from: "a", to: "b", as }], "team-a")).toEqual({
      b: [1, { field: "a", namespace: "team-a" }],
    });
  });

  it("ignores missing fields, also below a value of another type, and changes nothing else", () =>
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("c", "d", "e"), fc.jsonValue()), (object) => {
        const before = structuredClone(object);
        const moved = [{ from: "a.b.x", to: "z" }];
        expect(moveFields({ ...object, a: "text" }, moved, "default")).toEqual({ ...before, a: "text" });
        expect(object).toEqual(before);
      }),
    ));

  it("and back gives the same object again", () =>
    fc.assert(
      fc.property(fc.record({ x: fc.jsonValue(), y: fc.jsonValue() }), (a) => {
        const there = moveFields({ a }, [{ from: "a.x", to: "b.c.x" }], "default");
        expect(moveFields(there, [{ from: "b.c.x", to: "a.x" }], "default")).toEqual({ a });
      }),
    ));
});

describe("dropping what is empty", () => {
  it("goes from the inside out", () => {
    const object = {
      spec: { network: { pods: { blocks: [] } }, endpoint: { host: "", port: 0 }, paused: false },
    };
    const fields = ["spec.network.pods.blocks", "spec.endpoint.host", "spec.endpoint.port", "spec.paused"];
    expect(dropEmpty(object, fields)).toEqual({ spec: { paused: false } });
  });

  it("leaves fields that are not named or not empty", () => {
    const object = { a: "", b: "x", c: {} };
    expect(dropEmpty(object, ["b", "nowhere.x"])).toEqual(object);
  });
});
