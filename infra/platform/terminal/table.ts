import { bold, padded, shown, widthOf } from "./paint.ts";

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

/**
 * Returns rows under a header in the look of kubectl: columns two spaces apart, no trailing blanks. One line
 * each, for `print`.
 */
export function tableLines(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const widths = header.map((title, column) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[column] ?? "")), widthOf(title)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [bold(line(header)), ...rows.map(line)];
}

/** The same as one text. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return tableLines(header, rows)
    .map((line) => shown(line))
    .join("\n");
}

/** Returns an age as kubectl prints it: `45s`, `12m`, `5h`, `3d`; `?` for a text that says no time. */
export function ageOf(since: string, now: Date): string {
  return timeText(Math.round((now.getTime() - new Date(since).getTime()) / 1_000) * 1_000);
}

/** Returns a time as kubectl prints ages; below ten seconds `2.4s`. */
export function timeText(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (Number.isNaN(seconds)) return "?";
  if (seconds < 10) return `${Number(seconds.toFixed(1))}s`;
  if (seconds < 120) return `${Math.floor(seconds)}s`;
  if (seconds < 2 * 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
