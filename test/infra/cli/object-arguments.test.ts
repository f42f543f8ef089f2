import { describe, expect, it } from "vitest";
import { keyOf, namedObject } from "../../../infra/cli/object-arguments.ts";
import { Widget } from "../../support/widget.ts";

const named = (kind: string, object?: string, namespace?: string) => {
  const found = namedObject(kind, object, { namespace });
  return [found.kindName, keyOf(Widget, found)];
};

describe("the object that a command is about", () => {
  it("is named as kubectl names it", () => {
    const w = (namespace: string) => ["widget", { namespace, name: "w" }];
    expect(named("widget", "w")).toEqual(w("default"));
    expect(named("widget/w")).toEqual(w("default"));
    expect(named("widget", "a/w")).toEqual(w("a"));
    expect(named("widget/a/w")).toEqual(w("a"));
    expect(named("widget/w", undefined, "a")).toEqual(w("a"));
    expect(named("widget", "w", "a")).toEqual(w("a"));
    expect(keyOf({ ...Widget, namespaced: false }, namedObject("widget", "w", {}))).toEqual({
      ...{ namespace: "", name: "w" },
    });
  });

  it("is refused with the next step when it is not named, or named in two namespaces", () => {
    expect(() => named("widget")).toThrow("name the widget: widget NAME, or widget/NAME");
    expect(() => named("widget", "a/b/c")).toThrow('"a/b/c" is not the name of an object');
    expect(() => named("widget", "a/w", "b")).toThrow("give one of the two");
  });
});
