import { fail, type Judgement, na, pass, unknown, warn } from "../rule.ts";
import { type Check, onSchema } from "./crd-rule.ts";
import { boundOf, hasType, isAnything, type Lookup, lookUp, mapKeysOf, typeOf } from "./schema.ts";
import type { SchemaNode } from "./subject.ts";

type Declared = Extract<Lookup, { readonly is: "declared" }>;

interface Field {
  /** `status.ready` */
  readonly field: string;
  /** The type as `typeOf` names it. */
  readonly type: string;
  /** Verdict where the schema has no such field; `why` explains an `na`. */
  readonly absent: "fail" | "warn" | "na";
  /** Verdict for another type. */
  readonly other?: "fail" | "warn";
  /** Further demands on a field of the right type; nothing to say means `pass`. */
  readonly more?: (found: Declared) => readonly Judgement[];
}

/** A field of the schema that has a type. */
export function field(wanted: Field): Check {
  return onSchema(({ node, path }) => judgeField(node, path, wanted));
}

export function judgeField(root: SchemaNode, at: string, wanted: Field): readonly Judgement[] {
  const { field: name, type, absent, other = "fail", more = () => [] } = wanted;
  const found = lookUp(root, name, at);
  const { path } = found;
  if (found.is === "open") return [unknown(openSchema(name), { path, expected: type })];
  if (found.is === "absent") {
    if (absent === "na") return [na(`${name} is not declared`, { path })];
    return [(absent === "fail" ? fail : warn)({ path, found: "absent", expected: type })];
  }
  if (isAnything(found.node)) return [unknown(openSchema(name), { path, expected: type })];
  if (!hasType(found.node, type)) {
    return [(other === "fail" ? fail : warn)({ path, found: typeOf(found.node), expected: type })];
  }
  const said = more(found);
  return said.length === 0 ? [pass({ path, found: typeOf(found.node), expected: type })] : said;
}

/** Objects (A3) would decide. */
function openSchema(name: string): string {
  return `${name} is inside x-kubernetes-preserve-unknown-fields; an object (A3) decides`;
}

/** Bounds of a list, text or number by their keyword: `{ maxItems: 100, minLength: 1 }`. */
type Bounds = { readonly [keyword: string]: number };

/** Effect of a bound that is absent or wider: the field itself is there, so no value is dropped. */
const WIDE = "the API server stores values that the contract excludes, and core reads them";
/** Effect of a list that is not a map, or one with other keys. */
const UNKEYED =
  "the API server takes an entry twice, and each writer replaces the entries of the others instead of its own";

/** Warns of bounds that are absent or wider, all in one judgement. */
export function bounded(bounds: Bounds): (found: Declared) => readonly Judgement[] {
  return ({ node, path }) => {
    const wide = wideBounds(node, bounds);
    if (wide.length === 0) return [];
    const expected = Object.entries(bounds).map(([keyword, limit]) => `${keyword} ${limit}`);
    return [warn({ path, found: wide.join(", "), expected: expected.join(", "), effect: WIDE })];
  };
}

/** Returns `maxItems absent`, `minLength 0`: bounds of a schema that are absent or wider. */
export function wideBounds(node: SchemaNode, bounds: Bounds): readonly string[] {
  return Object.entries(bounds).flatMap(([keyword, limit]) => {
    const value = boundOf(node, keyword);
    if (value === undefined) return [`${keyword} absent`];
    return (keyword.startsWith("max") ? value > limit : value < limit) ? [`${keyword} ${value}`] : [];
  });
}

/** A list that is a map with these keys. */
export function keyedBy(...keys: readonly string[]): (found: Declared) => readonly Judgement[] {
  return ({ node, path }) => {
    const present = mapKeysOf(node);
    if (present !== undefined && present.toSorted().join() === keys.toSorted().join()) return [];
    return [
      warn({
        path: `${path}.x-kubernetes-list-type`,
        found: present === undefined ? listType(node) : `map with keys ${present.join(", ")}`,
        expected: `map with keys ${keys.join(", ")}`,
        effect: UNKEYED,
      }),
    ];
  };
}

export function listType(node: SchemaNode): string {
  const { "x-kubernetes-list-type": type } = node;
  return typeof type === "string" ? type : "absent";
}

/** Joins several demands on one field. */
export function together(
  ...demands: readonly ((found: Declared) => readonly Judgement[])[]
): (found: Declared) => readonly Judgement[] {
  return (found) => demands.flatMap((demand) => demand(found));
}

interface Member {
  /** The name below the field: `name`, `[].name`. */
  readonly name: string;
  readonly type: string;
  readonly absent?: "fail" | "warn" | "na";
}

/** Members of a field; says nothing of those that are right or may be absent. */
export function having(...members: readonly Member[]): (found: Declared) => readonly Judgement[] {
  return ({ node, path }) =>
    members
      .flatMap(({ name, type, absent = "fail" }) => judgeField(node, path, { field: name, type, absent }))
      .filter(({ verdict }) => verdict !== "pass" && verdict !== "na");
}

/** Fields that a contract has given up: `na` where they are absent, `fail` with another type, else `warn`. */
export function givenUp(...names: readonly string[]): Check {
  const present = optional("string", ...names);
  return (subject) =>
    present(subject).map((one) =>
      one.verdict === "pass" ? warn({ path: one.path, found: one.found, expected: "absent" }) : one,
    );
}

/** Fields that a provider may have: `na` where all are absent. */
export function optional(type: string, ...names: readonly string[]): Check {
  return onSchema(({ node, path }) => {
    const said = names.flatMap((name) => judgeField(node, path, { field: name, type, absent: "na" }));
    const judged = said.filter(({ verdict }) => verdict !== "na");
    return judged.length > 0 ? judged : [na(`${names.join(" and ")} not declared`)];
  });
}
