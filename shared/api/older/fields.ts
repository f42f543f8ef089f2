/** A JSON object that has not been validated. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value at a path; `undefined` for none and for null. Throws Error where the path goes through another value. */
export function fieldAt(object: Fields, path: readonly string[]): unknown {
  let at: unknown = object;
  let depth = 0;
  for (const member of path) {
    if (at === undefined || at === null) return undefined;
    if (!isFields(at)) throw new Error(`${path.slice(0, depth).join(".")}: must be an object`);
    at = at[member];
    depth++;
  }
  return at ?? undefined;
}

/** Sets the value at a path of an object that is being made, with the objects above it. */
export function setAt(object: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = object;
  let depth = 0;
  for (const member of path) {
    depth++;
    if (depth === path.length) break;
    at[member] ??= {};
    at = at[member] as Record<string, unknown>;
  }
  const last = path[depth - 1] ?? "";
  // An object that is there already stays: its members have been set.
  if (isFields(value) && isFields(at[last]) && Object.keys(value).length === 0) return;
  at[last] = value;
}
