import { describe, expect, it } from "vitest";
import { TRUSTED, UNTRUSTED } from "../../../../infra/platform/kube/answer.ts";
import { decodeJson, type JsonBounds } from "../../../../infra/platform/kube/decode-json.ts";

/** Counts how often others would have got the event loop. */
async function decode(text: string, bounds: Partial<JsonBounds> = {}) {
  let pauses = 0;
  const value = await decodeJson(text, { ...TRUSTED, ...bounds }, () => {
    pauses += 1;
    return undefined;
  });
  return { value, pauses };
}

const LONG = "x".repeat(300_000);
const listOf = (items: readonly unknown[], more: object = {}) =>
  JSON.stringify({ kind: "List", metadata: { resourceVersion: "1" }, items, ...more });

describe("JSON decoded in pieces", () => {
  it.each([
    ["a list", listOf([{ a: [1, { items: [2] }] }, "b", [], LONG, { text: 'q"\\,]}[{' }])],
    ["a list of nothing", listOf([], { note: LONG })],
    ["a list of nothing, with blanks", `{"items": [ \n ], "note": "${LONG}"}`],
    ["items in something else", JSON.stringify({ kind: "A", spec: { items: [1, 2] }, note: LONG })],
    ["items that are not a list", JSON.stringify({ kind: "A", items: { a: 1 }, note: LONG })],
    ["a value named items", JSON.stringify({ kind: "items", other: ["a"], note: LONG })],
    ["a text that ends in backslashes", JSON.stringify({ items: ["\\", "\\\\", '\\"', LONG] })],
    ["no object", JSON.stringify([LONG, { items: [1] }])],
    ["a short text", JSON.stringify({ items: [1] })],
    ["members with awkward names", listOf([LONG, JSON.parse('{"__proto__": {"a": 1}}')])],
  ])("is what JSON.parse says: %s", async (_what, text) => {
    expect((await decode(text)).value).toEqual(JSON.parse(text));
  });

  it.each([
    [`{"items":[${LONG}`],
    [`{"items":[{},],"note":"${LONG}"}`],
    [`{"items":[1 2],"note":"${LONG}"}`],
    [`{"items":["${LONG}"]]}`],
    [`{"items":[],"items":[],"note":"${LONG}"}`],
    [`${LONG}`],
    [`{"items":["${LONG}`],
  ])("is refused where JSON.parse refuses it, and with items twice (%#)", async (text) => {
    await expect(decode(text)).rejects.toThrow(SyntaxError);
  });

  it("lets others have the event loop as often as the text is longer", async () => {
    const items = (count: number) =>
      listOf(Array.from({ length: count }, (_, n) => ({ n, text: "x".repeat(90) })));
    const [short, long] = [await decode(items(5_000)), await decode(items(50_000))];
    expect(long.pauses).toBeGreaterThan(9 * short.pauses);
    expect(short.pauses).toBeGreaterThan(5_000);
  });

  const deep = (levels: number) => `{"items":[${"[".repeat(levels)}${"]".repeat(levels)}],"note":"${LONG}"}`;
  it.each([
    ["depth", deep(63), "nested deeper than 64 levels"],
    ["depth of a short text", deep(63).replace(LONG, ""), "nested deeper than 64 levels"],
    ["the depth of 10 MB of lists", `{"items":${"[".repeat(10_000_000)}`, "nested deeper than 64 levels"],
    ["the length of an item", listOf(["x".repeat(11_000_000)]), "an object is longer than 10485760 bytes"],
    ["the length of an object", JSON.stringify({ a: "x".repeat(11_000_000) }), "longer than 10485760 bytes"],
    ["the values in an item", `{"items":[[${"0,".repeat(300_000)}0]]}`, "more than 200000 values"],
    ["the values in an object", `{"a":[${"[],".repeat(300_000)}[]]}`, "more than 200000 values"],
    ["the values in all items", listOf(Array(30).fill(Array(100_000).fill(0))), "more than 2000000 values"],
    ["the number of items", `{"items":[${"{},".repeat(300_000)}{}]}`, "more than 200000 items"],
    ["what stands beside the items", listOf([1], { note: "x".repeat(1_100_000) }), "beside its items"],
  ])("bounds %s (S-14)", async (_what, text, message) => {
    await expect(decode(text, UNTRUSTED)).rejects.toThrow(message);
  });

  it("lets a list be as long as a page may be", async () => {
    const { value } = await decode(
      listOf(Array.from({ length: 60 }, () => "x".repeat(1_000_000))),
      UNTRUSTED,
    );
    expect((value as { items: unknown[] }).items).toHaveLength(60);
  });
});
