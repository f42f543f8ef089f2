import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ZodType } from "zod";
import { apiVersionOf, type Kind } from "../../shared/api/kinds.ts";
import { KINDS } from "../../shared/api/registry.ts";
import { type Structural, toStructural } from "../../shared/api/structural.ts";
import { openApiOf } from "../console/openapi.ts";
import { ROUTES } from "../console/routes/table.ts";
import { alignedTable } from "../platform/terminal/table.ts";
import { writeYaml } from "../platform/yaml/write-yaml.ts";
import { yamlOf } from "./deployment.ts";
import { lambdaAccess } from "./lambda/roles.ts";
import { template } from "./lambda/template.ts";
import { manifestFiles } from "./manifests/files.ts";
import { alertGroups } from "./observation/alerts.ts";
import { dashboard } from "./observation/dashboard.ts";

type Row = readonly [field: string, type: string, meaning: string];

/**
 * Returns path → content of everything that follows from declarations and is not kept in git: manifests for kubectl, the
 * template for AWS, what Prometheus and Grafana read, the API of the console, and the reference of our kinds. The same on every machine.
 */
export async function renderedFiles(): Promise<ReadonlyMap<string, string>> {
  const manifests = [...(await manifestFiles())].map(
    ([path, content]) => [`kustomize/${path}`, content] as const,
  );
  return new Map([
    ...manifests,
    ["aws/template.yaml", writeYaml(await template())],
    ["aws/rights.yaml", yamlOf(await lambdaAccess())],
    ["observation/rules.yaml", writeYaml(alertGroups())],
    ["observation/capstan.json", jsonOf(dashboard())],
    ["api/reference.markdown", apiReference()],
    ["console/openapi.json", jsonOf(openApiOf(ROUTES))],
  ]);
}

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

/** Writes these files into a folder, in place of what it holds. */
export async function renderInto(folder: string): Promise<void> {
  const files = await renderedFiles();
  await rm(folder, { recursive: true, force: true });
  await writeFiles(folder, files);
}

/** Writes content by path into a folder; other files in it stay. */
export async function writeFiles(
  folder: string,
  files: Iterable<readonly [string, string | Uint8Array]>,
): Promise<void> {
  for (const [path, content] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

function jsonOf(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
