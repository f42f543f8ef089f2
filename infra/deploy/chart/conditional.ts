import { writeYaml } from "../../platform/yaml/write-yaml.ts";
import type { Manifest } from "../deployment.ts";
import { NAMESPACE } from "../manifests/deployments.ts";
import type { Folder } from "../manifests/kustomization.ts";

/**
 * Expressions of Helm in objects. An object that holds them is written as YAML like any other one, then its marks become
 * actions of a template; braces that were there before stay text.
 */
const [OPEN, CLOSE] = ["⟪", "⟫"];

/** Returns the text that becomes the value of an expression. */
export function value(expression: string): string {
  return `${OPEN} ${expression} ${CLOSE}`;
}

/** Returns the text that becomes one value or the other. */
export function valueIf(condition: string, wanted: unknown, otherwise: unknown): string {
  return `${value(`if ${condition}`)}${wanted}${value("else")}${otherwise}${value("end")}`;
}

/** Returns the item of a list that becomes a line with an action: `if`, `range`, `else`, `end`. */
export function line(action: string): string {
  return `${OPEN}- ${action} ${CLOSE}`;
}

/** Returns the items of a list that are there while a condition holds, and others while it does not. */
export function itemsIf(
  condition: string,
  items: readonly unknown[],
  otherwise?: readonly unknown[],
): readonly unknown[] {
  return [line(condition), ...items, ...(otherwise ? [line("else"), ...otherwise] : []), line("end")];
}

/** Returns members that are there while a condition holds. */
export function membersIf(condition: string, members: object): object {
  const key = (action: string) => `${line(action)} of ${condition}`;
  return { [key(condition)]: null, ...members, [key("end")]: null };
}

/** Returns the template of a YAML text with marks. */
function toTemplate(yaml: string): string {
  return yaml
    .replaceAll("{{", value('"{{"'))
    .replaceAll(/^( *)"?⟪(- .*?)⟫ of .*: null$/gm, (_, indent, action) => `${indent}{{${unescaped(action)}}}`)
    .replaceAll(/^( *)- "?⟪(- .*?)⟫"?$/gm, (_, indent, action) => `${indent}{{${unescaped(action)}}}`)
    .replaceAll(/⟪(.*?)⟫/g, (_, expression) => `{{${unescaped(expression)}}}`);
}

/** Takes away what YAML has escaped in a text in quotes. */
function unescaped(expression: string): string {
  return expression.replaceAll('\\"', '"').replaceAll("\\\\", "\\");
}

/** An object of the chart, and the conditions under which it is there. */
export interface Conditional {
  readonly object: Manifest;
  readonly when: readonly string[];
  /** Path below `templates`, without `.yaml`. */
  readonly file: string;
}

/** One operation of JSON patch, as the components use it. */
interface Operation {
  readonly op: "add" | "replace" | "remove";
  readonly path: string;
  readonly value?: unknown;
}

/** Returns the objects of the base, which are always there. */
export function ofBase({ files }: Folder): readonly Conditional[] {
  return Object.entries(files).flatMap(([file, objects]) =>
    objects.map((object) => ({ object, when: [], file })),
  );
}

/** Returns objects with those of a component, and with its changes, under its condition: as kustomize adds one. */
export function withComponent(
  objects: readonly Conditional[],
  name: string,
  { files, patches = [] }: Folder,
  condition: string,
): readonly Conditional[] {
  const own = ofBase({ kind: "Component", files }).map((each) => ({
    ...each,
    when: [condition],
    file: each.file === name ? name : `${name}-${each.file}`,
  }));
  return [...objects, ...own].map((each) =>
    patches
      .filter(({ target }) => isChosen(each.object, target))
      .reduce((changed, { patch }) => changedBy(changed, JSON.parse(patch), condition), each),
  );
}

type Target = NonNullable<Folder["patches"]>[number]["target"];

function isChosen({ kind, metadata }: Manifest, target: Target): boolean {
  const [, label = "", values = ""] =
    /^(\S+?)(?:=| in )\(?([^)]*)\)?$/.exec(target.labelSelector ?? "") ?? [];
  return (
    kind === target.kind &&
    new RegExp(`^(?:${target.name ?? ".*"})$`).test(metadata.name) &&
    (label === "" || values.split(",").includes(metadata.labels?.[label] ?? ""))
  );
}

function changedBy(
  each: Conditional,
  patch: readonly Operation[] | { readonly $patch: "delete" },
  condition: string,
): Conditional {
  if (!Array.isArray(patch)) return { ...each, when: [...each.when, negated(condition)] };
  const object = structuredClone(each.object);
  for (const operation of patch) change(object, operation, condition);
  return { ...each, object };
}

function negated(condition: string): string {
  return condition.startsWith("not ") ? condition.slice("not ".length) : `not (${condition})`;
}

function change(object: object, { op, path, value: wanted }: Operation, condition: string): void {
  const steps = path.slice(1).split("/");
  const last = steps.pop() ?? "";
  let parent = object as { [step: string]: unknown };
  for (const step of steps) parent = parent[step] as typeof parent;
  const present = parent[last];
  if (op === "add" && Array.isArray(parent)) parent.push(...itemsIf(`if ${condition}`, [wanted]));
  else if (op === "remove" && Array.isArray(parent)) removeItem(parent, Number(last), condition);
  else if (op === "replace" && Array.isArray(present) && Array.isArray(wanted))
    parent[last] = itemsIf(`if ${condition}`, wanted, present);
  else if (op === "replace") parent[last] = valueIf(condition, wanted, present);
  else throw new Error(`bug: the chart knows no condition for ${op} at ${path}`);
}

/** Removes the nth of the items that no earlier operation has removed. */
function removeItem(items: unknown[], nth: number, condition: string): void {
  const without = line(`if not (${condition})`);
  const left = items.flatMap((item, at) =>
    typeof item !== "string" && items[at - 1] !== without ? [at] : [],
  );
  const at = left[nth];
  if (at === undefined) throw new Error(`bug: no item ${nth} is left to remove`);
  items.splice(at, 1, without, items[at], line("end"));
}

/** Returns the template of one object, in the namespace of the release. */
export function templateOf({ object, when }: Omit<Conditional, "file">): string {
  const yaml = writeYaml(object).replaceAll(NAMESPACE, value("$.Release.Namespace"));
  const document = `---\n${toTemplate(yaml)}`;
  if (when.length === 0) return document;
  const [first = "", ...others] = when;
  const condition = others.length === 0 ? first : `and ${when.map((each) => `(${each})`).join(" ")}`;
  return `{{- if ${condition} }}\n${document}{{- end }}\n`;
}
