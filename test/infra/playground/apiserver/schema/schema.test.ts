import { describe, expect, it } from "vitest";
import {
  identityOf,
  itemsByIdentity,
  keysOf,
} from "../../../../../infra/playground/apiserver/schema/schema.ts";

describe("identities of list members", () => {
  it("are the values of their keys, whatever else they hold", () => {
    expect(identityOf({ port: 80, name: "a", x: 1 }, ["name", "port"])).toBe('{"name":"a","port":80}');
    expect(identityOf({ name: "a" }, ["name", "port"])).toBe('{"name":"a"}');
    expect(identityOf({ toString: 1 }, ["constructor"])).toBeUndefined();
    expect(identityOf("a", ["name"])).toBeUndefined();
    expect(keysOf({ name: "a", x: 1 }, ["name"])).toEqual({ name: "a" });
  });

  it("find the first of several equal ones, and nothing in a list without keys", () => {
    const list = [{ name: "a", at: 1 }, { name: "a", at: 2 }, { at: 3 }];
    expect([...itemsByIdentity(list, ["name"])]).toEqual([['{"name":"a"}', list[0]]]);
    expect(itemsByIdentity(list, []).size).toBe(0);
    expect(itemsByIdentity(undefined, ["name"]).size).toBe(0);
  });
});
