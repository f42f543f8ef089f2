const LABEL_VALUE = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const KEY_PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_KEY_PREFIX = 253;

/** Returns whether the API server accepts it as the value of a label. */
export function isLabelValue(value: string): boolean {
  return value === "" || LABEL_VALUE.test(value);
}

/** Returns whether the API server accepts it as the key of a label: `tier`, `example.com/tier`. */
export function isLabelKey(key: string): boolean {
  const [name = "", prefix, ...rest] = key.split("/").reverse();
  const prefixed = prefix === undefined || (prefix.length <= MAX_KEY_PREFIX && KEY_PREFIX.test(prefix));
  return rest.length === 0 && prefixed && LABEL_VALUE.test(name);
}

/**
 * Returns a name as a label value: itself where it is one (at most 63 characters), else `hash_<b>_z` with `<b>` the
 * unpadded
 * base64url of the big-endian FNV-1a 32-bit hash of its UTF-8 bytes.
 */
export function labelValueOf(name: string): string {
  if (LABEL_VALUE.test(name)) return name;
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  const bytes = [24, 16, 8, 0].map((shift) => (hash >>> shift) & 0xff);
  const base64 = btoa(String.fromCharCode(...bytes));
  return `hash_${base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}_z`;
}
