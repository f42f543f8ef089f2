/** Returns a Markdown table; columns are aligned as Biome does. A bar in a cell is escaped. */
export function alignedTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll(/(?<!\\)\|/g, "\\|")));
  const widths = header.map((title, column) =>
    Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)),
  );
  const rule = widths.map((width) => "-".repeat(width));
  return [header, rule, ...cells]
    .map((line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`)
    .join("\n");
}
