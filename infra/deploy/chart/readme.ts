import { alignedTable } from "../../platform/markdown-table.ts";
import type { JsonSchema } from "./values.ts";

/** Returns the README of the chart: every value with its default. */
export function chartReadme(schema: JsonSchema, version: string): string {
  const rows = rowsOf(schema, "");
  return `# Capstan ${version}

Cluster API's core controllers as functions on a queue. A trial, with a Redis and a simulated provider of the chart:

\`\`\`sh
helm install capstan FILE_OR_REPOSITORY --namespace capstan-system --create-namespace --set redis.enabled=true --set demo.enabled=true
\`\`\`

Elsewhere, \`queue.url\` names your Redis. Helm refuses a value that is not in this table, and names it. Its definitions are kept when the chart is removed.

${alignedTable(["Value", "Default", "Meaning"], rows)}
`;
}

function rowsOf({ properties = {} }: JsonSchema, before: string): readonly (readonly string[])[] {
  return Object.entries(properties).flatMap(([name, property]) =>
    property.properties === undefined
      ? [[`\`${before}${name}\``, `\`${JSON.stringify(property.default)}\``, property.description ?? ""]]
      : rowsOf(property, `${before}${name}.`),
  );
}
