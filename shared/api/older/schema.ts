import type { PrinterColumn } from "../kinds.ts";
import type { Structural } from "../structural.ts";
import { FORMS } from "./forms.ts";
import { fieldsOf } from "./rows.ts";
import type { OlderVersion, Rule } from "./rule.ts";

/** Keywords by which v1beta2 refuses what v1beta1 wrote for nothing, or that defaults fill in after a conversion. */
const ONLY_PRESENT = ["default", "minItems", "minLength", "minProperties", "required"];
/** A number that must be positive is 0 in v1beta1 when there is none. */
const isOnlyPresent = (keyword: string, value: unknown) =>
  ONLY_PRESENT.includes(keyword) || (keyword === "minimum" && Number(value) > 0);

/**
 * Returns the schema of an older version: the fields of v1beta2 at their places and in their forms there, and those that
 * only the older version has. A rule in CEL goes along where all that it reads stands where it did.
 */
export function olderSchema(present: Structural, { rules, lost = {} }: OlderVersion): Structural {
  const { apiVersion = {}, kind = {}, metadata = {}, ...properties } = present.properties ?? {};
  const made = placed({ ...present, properties }, rules, lost, "");
  return { ...made, properties: { apiVersion, kind, metadata, ...made.properties } };
}

function placed(
  schema: Structural,
  rules: readonly Rule[],
  lost: NonNullable<OlderVersion["lost"]>,
  list: string,
): Structural {
  const root = bare(schema);
  const required: (readonly string[])[] = [];
  const objects: [readonly string[], Structural][] = [];
  for (const { at, old, schema: present, rule, isRequired } of fieldsOf(schema, rules)) {
    if (old === undefined) continue;
    if (isRequired && rule?.down === "always" && rule.old === undefined && rule.as !== "group")
      required.push(old);
    if (present.properties === undefined || rule?.as !== undefined || rule?.isSchema) {
      place(root, old, olderValue(present, rule, lost, `${list}${at.join(".")}`));
    } else {
      place(root, old, bare(present));
      objects.push([old, present]);
    }
  }
  for (const { old, schema: own } of lost[list.slice(0, -1)] ?? [])
    place(root, old.split("."), own as Structural);
  for (const path of required) markRequired(root, path);
  for (const [path, of] of objects.reverse()) finish(root, path, of);
  return withRules(root, schema);
}

/** A field that v1beta2 requires is required where v1beta1 always has it. */
function markRequired(root: Structural, path: readonly string[]): void {
  const above = path.slice(0, -1).reduce<Structural | undefined>((at, name) => at?.properties?.[name], root);
  if (above !== undefined) above.required = [...(above.required ?? []), path.at(-1) ?? ""];
}

/** Removes an object whose members are all elsewhere; else gives it its rules. */
function finish(root: Structural, path: readonly string[], present: Structural): void {
  const above = path.slice(0, -1).reduce<Structural | undefined>((at, name) => at?.properties?.[name], root);
  const name = path.at(-1) ?? "";
  const older = above?.properties?.[name];
  if (above?.properties === undefined || older === undefined) return;
  if (Object.keys(older.properties ?? {}).length === 0) delete above.properties[name];
  else above.properties[name] = withRules(older, present);
}

function olderValue(
  present: Structural,
  rule: Rule | undefined,
  lost: NonNullable<OlderVersion["lost"]>,
  path: string,
): Structural {
  if (rule?.as !== undefined) return relaxed(FORMS[rule.as].schema(present));
  if (present.items?.properties === undefined) return relaxed(present);
  return withKeys({ ...relaxed(present), items: placed(present.items, rule?.items ?? [], lost, `${path}.`) });
}

/** Returns a schema without its members, which are placed one by one. */
function bare(schema: Structural): Structural {
  const { properties: _, "x-kubernetes-validations": _rules, ...others } = schema;
  return relaxed(others);
}

/** Elements of a list have its keys, in every version. */
function withKeys(list: Structural): Structural {
  const keys = list["x-kubernetes-list-map-keys"];
  if (!Array.isArray(keys) || list.items === undefined) return list;
  const required = [...new Set([...(list.items.required ?? []), ...keys])];
  return { ...list, items: { ...list.items, required } };
}

function relaxed(schema: Structural): Structural {
  const kept = Object.entries(schema).filter((entry) => !isOnlyPresent(...entry));
  const made = Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (keyword === "properties") return [keyword, mapValues(value as Properties, relaxed)];
      if (keyword === "enum" && Array.isArray(value)) return [keyword, ["", ...value]];
      const isSchema = keyword === "items" || (keyword === "additionalProperties" && value !== true);
      return [keyword, isSchema ? relaxed(value as Structural) : value];
    }),
  );
  return withKeys(made);
}

type Properties = NonNullable<Structural["properties"]>;

function mapValues(properties: Properties, change: (schema: Structural) => Structural): Properties {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, change(schema)]));
}

/** Adds the rules of v1beta2 that read the same values in the older version, and none that may be missing there. */
function withRules(older: Structural, schema: Structural): Structural {
  const rules = schema["x-kubernetes-validations"];
  const kept = (Array.isArray(rules) ? rules : []).filter(({ rule }: { readonly rule: string }) =>
    [...rule.matchAll(READS)].every(([, path = ""]) => isSafe(older, path.split(".").slice(1), rule)),
  );
  return kept.length === 0 ? older : { ...older, "x-kubernetes-validations": kept };
}

/** `self.template.spec`, without functions such as `self.all(`. */
const READS = /\b(?:self|oldSelf)((?:\.[a-zA-Z]+\b(?!\())*)/g;

function isSafe(schema: Structural, path: readonly string[], rule: string): boolean {
  let at: Structural | undefined = schema;
  for (const [depth, name] of path.entries()) {
    const next: Structural | undefined = at?.properties?.[name];
    const isGuarded = rule.includes(`elf.${path.slice(0, depth + 1).join(".")})`);
    if (name === "metadata" || (at !== undefined && at.properties === undefined)) return true;
    if (next === undefined || !(isGuarded || at?.required?.includes(name))) return false;
    at = next;
  }
  return true;
}

function place(root: Structural, path: readonly string[], schema: Structural): void {
  let at = root;
  for (const name of path.slice(0, -1)) {
    at.properties ??= {};
    at.properties[name] ??= { type: "object" };
    at = at.properties[name];
  }
  const name = path.at(-1) ?? "";
  at.properties ??= {};
  at.properties[name] = {
    ...schema,
    ...(at.properties[name]?.properties && { properties: at.properties[name].properties }),
  };
}

/** Returns columns of `kubectl get` with the paths of the older version; those of fields that it lacks are left out. */
export function olderColumns(
  columns: readonly PrinterColumn[],
  { rules }: OlderVersion,
): readonly PrinterColumn[] {
  const moves = rules.flatMap(({ at, old }) => (old === undefined ? [] : [{ at: `.${at}`, old }]));
  return columns.flatMap((column) => {
    const move = moves.find(({ at }) => column.jsonPath.startsWith(at));
    if (move === undefined) return [column];
    return move.old === null
      ? []
      : [{ ...column, jsonPath: `.${move.old}${column.jsonPath.slice(move.at.length)}` }];
  });
}
