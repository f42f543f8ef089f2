// biome-ignore lint/style/noRestrictedImports: arithmetic, not I/O; the Web's digest comes from another thread, at a time of its own
import { hash } from "node:crypto";

/** Returns SHA-256 of a JSON value as `sha256:<64 hex>`; the order of members does not matter. */
export async function digestOf(value: unknown): Promise<string> {
  return `sha256:${hash("sha256", canonical(value))}`;
}

/** Returns JSON with sorted members; members that are undefined are absent. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((element) => canonical(element ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}
