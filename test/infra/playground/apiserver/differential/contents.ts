import * as fc from "fast-check";
import type { Json, JsonObject } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { pick, someOf } from "./choice.ts";

type Values = fc.Arbitrary<Json>;

const one = (...values: readonly Json[]): Values => pick(...values);

const word = one("x", "y", "z");
const words = fc.array(word, { maxLength: 3 });
const uniqueWords = fc.uniqueArray(one("p", "q", "r"), { maxLength: 3 });
const item = fc.oneof(
  someOf({ value: word, inner: someOf({ v: word }, 1), tags: uniqueWords }, 2).map((rest) => ({
    name: "i",
    ...rest,
  })),
  someOf({ value: word, tags: uniqueWords }, 2).map((rest) => ({ name: "j", ...rest })),
  someOf({ value: word }, 1).map((rest) => ({ name: "k", ...rest })),
);
const port = fc
  .tuple(one(1, 2), one(null, "TCP", "UDP"), one(null, "x"))
  .map(([number, protocol, title]) => ({
    port: number,
    ...(protocol === null ? {} : { protocol }),
    ...(title === null ? {} : { title }),
  }));
const uniqueBy = (values: Values, keys: readonly string[]): Values =>
  fc.uniqueArray(values, {
    maxLength: 3,
    selector: (value) => JSON.stringify(keys.map((key) => (value as JsonObject)[key] ?? "TCP")),
  });

/** Values that the schema of the gizmos accepts. */
const VALID: Readonly<Record<string, Values>> = {
  size: one(0, 1, 2, 7),
  ratio: one(0.5, 1, 2.5),
  color: one("red", "green", "blue"),
  mode: one("Auto", "Manual"),
  on: one(true, false),
  note: one("n", "", null),
  noteWithDefault: one("n", null),
  port: one(80, "80", "http"),
  when: one("2020-01-02T03:04:05Z", "2021-01-02T03:04:05+02:00"),
  nested: someOf({ a: word, b: word, deep: someOf({ c: word, d: one(1, 2) }, 2) }, 3),
  withDefault: someOf({ x: one(1, 2), y: word }, 2),
  point: someOf({ x: one(1, 2), y: one(1, 2) }, 2),
  labels: someOf({ k: word, m: word, n: word }, 3),
  limits: someOf({ cpu: one(1, "1"), "a.b/c": one(2, "x") }, 2),
  groups: someOf({ g: someOf({ a: word, tags: uniqueWords }, 2), h: someOf({ a: word }, 1) }, 2),
  atomicMap: someOf({ k: word, m: word }, 2),
  list: fc.array(word, { minLength: 1, maxLength: 3 }),
  structs: fc.array(someOf({ a: word, b: word }, 2), { maxLength: 2 }),
  set: uniqueWords,
  numbers: fc.uniqueArray(one(1, 2, 3), { maxLength: 3 }),
  items: uniqueBy(item, ["name"]),
  ports: uniqueBy(port, ["port", "protocol"]),
  free: someOf({ a: one(1, "x", true, null), b: someOf({ c: one("x", null), d: words }, 2), l: words }, 3),
  anything: one(1, "x", [1, 2], [null], { a: 1 }, { a: { b: 2 } }, { a: null }, {}),
  partly: someOf(
    { known: one(1, 2), more: someOf({ a: word }, 1), other: one(null, {}, { z: "x" }, { z: null }) },
    3,
  ),
  template: one({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "t" }, data: { a: "b" } }),
};

/** Values around the limits of every keyword, good and bad. */
const EDGES: Readonly<Record<string, Values>> = {
  ...VALID,
  size: one(0, 100, 101, -1, 1.0, 1.5, "1", null, true, 1e3),
  ratio: one(0, 0.5, 0.3, -1, "x", 3),
  steps: one(0, 3, 4, -3, 4.5),
  color: one("red", "pink", 1, null),
  mode: one("Auto", 1, null),
  on: one(true, "true", 1, null),
  short: one("ab", "a", "abcdef", "ab1", "AB", "äö", null),
  note: one(null, 1, "n", {}),
  noteWithDefault: one(null, 1, "n"),
  port: one(80, "80", 1.5, true, null, {}),
  when: one("2020-01-02T03:04:05Z", "2020-01-02", "no", 1, "2020-01-02t03:04:05.123Z"),
  address: one("1.2.3.4", "1.2.3", "::1", ""),
  wait: one("1h", "1.5s", "1 hour", "5", ""),
  small: one(1, 2147483647, 2147483648, -2147483649),
  nested: one({ a: 1 }, { b: null }, { deep: null }, { deep: { d: "1" } }, [], "x", null, {
    bogus: 1,
    deep: { zz: 1 },
  }),
  withDefault: one(null, {}, { x: null }, { x: "1" }),
  point: one({ x: 1 }, { x: "1" }, {}, null, { z: 1 }),
  strict: one({ left: "a" }, { right: "b" }, {}, null, { left: null }),
  labels: one({ k: 1 }, { k: null }, { a: "a", b: "b", c: "c", d: "d" }, [], null),
  limits: one({ a: 1 }, { a: true }, { a: 1.5 }, { a: null }),
  list: one([], ["a", "b", "c", "d"], [1], [null], "x", null, ["a"]),
  structs: one([{}], [{ a: 1 }], [null], [{ zz: 1 }], [[]]),
  set: one(["p", "p"], ["p", null], [1], ["p", "q", "p"], null, {}),
  numbers: one([1, 1], [1, 1.0], ["1"], [1, 2]),
  items: one(
    [{ name: "i" }, { name: "i" }],
    [{}],
    [{ name: 1 }],
    [{ name: null }],
    [null],
    [{ value: "x" }],
    null,
  ),
  ports: one(
    [{ port: 1 }, { port: 1, protocol: "TCP" }],
    [{ protocol: "TCP" }],
    [{ port: 1, protocol: null }],
    [{ port: 1 }, { port: 1 }],
  ),
  free: one(null, 1, [], { a: null }, { a: { b: null } }),
  anything: one(1, [], { a: null }, [null], "x"),
  partly: one({ known: "1" }, { more: { zz: 1 } }, { known: null }, { other: null }),
  template: one(
    { kind: "ConfigMap" },
    {},
    { apiVersion: "v1", kind: "X", metadata: { labels: { a: 1 } } },
    { apiVersion: "v1", kind: "X", metadata: { name: "a b" } },
    null,
  ),
  either: one({ one: "a" }, { two: "b" }, { one: "a", two: "b" }, {}),
  once: one("a", "b", null),
  range: one({ low: 1, high: 2 }, { low: 2, high: 1 }, { low: 1 }, { low: "x", high: 1 }, {}),
  growing: one(1, 2, 3, null, "x"),
  unique: one(["a"], ["a", "a"], ["a", "b"], [], ["a", "b", "c", "d", "e", "f"]),
  bogus: one(1, { a: 1 }, null),
};

const condition = fc
  .tuple(one("Ready", "Healthy", "Paused"), someOf({ status: one("True", "False"), reason: word }, 2))
  .map(([type, rest]) => ({ type, ...rest }));

const STATUS: Readonly<Record<string, Values>> = {
  phase: one("Up", "Down"),
  replicas: one(0, 1, 5),
  selector: one("app=a"),
  observed: someOf({ size: one(1, 2), at: one("2020-01-02T03:04:05Z") }, 2),
  conditions: uniqueBy(condition, ["type"]),
};

export const validSpec = someOf(VALID, 4);
export const edgeSpec = fc.oneof(someOf(EDGES, 1), someOf(EDGES, 3), validSpec);
export const status = fc.oneof(
  { weight: 6, arbitrary: someOf(STATUS, 3) },
  {
    weight: 1,
    arbitrary: one({ phase: 1 }, { conditions: [{}] }, { replicas: "x" }, { bogus: 1 }).map(
      (value) => value as JsonObject,
    ),
  },
);
