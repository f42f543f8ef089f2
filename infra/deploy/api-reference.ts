import type { ZodType } from "zod";
import { apiVersionOf, type Kind } from "../../shared/api/kinds.ts";
import { KINDS } from "../../shared/api/registry.ts";
import { type Structural, toStructural } from "../../shared/api/structural.ts";
import { alignedTable } from "../platform/markdown-table.ts";

/** Returns the reference of the kinds with a definition of ours as a page: each field with its type and meaning. */
export function apiReference(kinds: readonly Kind[] = KINDS): string {
  const sections = kinds.flatMap((kind) =>
    kind.crd === undefined || kind.schema === undefined ? [] : [sectionOf(kind, kind.schema())],
  );
  return ["# API reference\n", ...sections].join("\n");
}

function sectionOf(kind: Kind, schema: ZodType): string {
  const { spec, status } = toStructural(schema).properties ?? {};
  const rows = [...fieldsOf("spec", spec), ...fieldsOf("status", status)];
  const table = alignedTable(["Field", "Type", "Meaning"], rows);
  return `## ${kind.kind}\n\n\`${apiVersionOf(kind)}\`\n\n${table}\n`;
}

type Row = readonly [field: string, type: string, meaning: string];

function fieldsOf(path: string, node: Structural | undefined, isRequired = false): readonly Row[] {
  if (node === undefined) return [];
  const { properties, items, required = [] } = node;
  const own: Row = [`\`${path}\``, typeOf(node, isRequired), meaningOf(node)];
  const below = Object.entries(properties ?? {}).flatMap(([name, member]) =>
    fieldsOf(`${path}.${name}`, member, required.includes(name)),
  );
  const element = items?.properties === undefined ? [] : fieldsOf(`${path}[]`, items).slice(1);
  return [own, ...below, ...element];
}

function typeOf(node: Structural, isRequired: boolean): string {
  const { type = "integer or string", items, format, enum: values } = node;
  const name = items === undefined ? type : `list of ${items.type ?? "any"}`;
  const shown = Array.isArray(values) ? values.join(", ") : (format ?? name);
  return isRequired ? `${shown}, required` : shown;
}

function meaningOf({ description = "" }: Structural): string {
  return String(description).replaceAll(/\s+/g, " ");
}
