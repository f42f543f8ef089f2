/** Returns the object of a key: `default/c1|Machine|default/m1` → `Machine default/m1`; other keys as they are. */
export function objectOfKey(key: string): string {
  const [, kind, object] = key.split("|");
  return kind === undefined || object === undefined ? key : `${kind} ${object}`;
}
