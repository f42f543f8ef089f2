/** Returns the object of a key: `default/c1|Machine|default/m1` → `Machine default/m1`; other keys as they are. */
export function objectOfKey(key: string): string {
  const [, kind, object] = key.split("|");
  return kind === undefined || object === undefined ? key : `${kind} ${object}`;
}

/** Returns the namespace of a key: `default/c1|Machine|default/m1` → `default`; undefined for a malformed one. */
export function namespaceOfKey(key: string): string | undefined {
  const [, , object] = key.split("|");
  return object?.includes("/") === true ? object.slice(0, object.indexOf("/")) : undefined;
}
