/**
 * Returns `text` with at most `maxLength` UTF-16 units; what was cut is marked by `…` at the end. Never splits a
 * character. Limits of schemas count code points, so the result satisfies them too.
 */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
