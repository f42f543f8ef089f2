import { styleText } from "node:util";

/** Rows under a header, columns two spaces apart, no trailing blanks: the look of kubectl. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [bold(line(header)), ...rows.map(line)].join("\n");
}

/** Colours appear on a terminal only and respect NO_COLOR. */
export function bold(text: string): string {
  return styleText("bold", text, { stream: process.stdout });
}

export function paint(colour: "green" | "yellow" | "red" | "dim" | "cyan" | "bold", text: string): string {
  return styleText(colour, text, { stream: process.stdout });
}

/** `45s`, `12m`, `5h`, `3d`: the ages of kubectl. */
export function ageOf(since: string, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - new Date(since).getTime()) / 1_000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 2 * 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
