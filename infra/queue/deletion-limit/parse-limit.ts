/** Returns the limit that a text says; Infinity for `none`. Throws for anything else but a whole number below a million. */
export function parseLimit(text: string): number {
  if (text === "none") return Number.POSITIVE_INFINITY;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new Error(
    "a limit of deletions is a whole number from 0 (nothing is deleted) to 999999, or the word none",
  );
}
