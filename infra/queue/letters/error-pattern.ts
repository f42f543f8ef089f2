/** Stands for a name or a number. */
const MASK = "…";
/** A message that was cut ends within any word; the first ones say which error it is. */
const MAX_WORDS = 16;
const MAX_CHARS = 2_000;

/**
 * Returns a message without what differs from object to object, so that one cause has one text: names, numbers, quoted
 * values, versions, addresses. `names` are those of the object itself, which may look like words. Takes time that grows
 * with the length of the message only; of a longer one the first 2,000 characters count.
 */
export function errorPattern(message: string, names: readonly string[] = []): string {
  const known = new Set(names.filter((name) => name !== ""));
  const words = message
    .slice(0, MAX_CHARS)
    .replace(/"[^"]*"|'[^']*'|`[^`]*`/g, MASK)
    .split(/\s+/)
    .filter((word) => word !== "");
  return words
    .slice(0, MAX_WORDS)
    .map((word) => maskWord(word, known))
    .join(" ");
}

const OPENING = "([{<";
const CLOSING = ")]}>.,;:!?";

/** Punctuation around a name stays, as in `(default/m1):`. */
function maskWord(word: string, names: ReadonlySet<string>): string {
  let [start, end] = [0, word.length];
  while (start < end && OPENING.includes(word.charAt(start))) start += 1;
  while (start < end && CLOSING.includes(word.charAt(end - 1))) end -= 1;
  return isName(word.slice(start, end), names) ? `${word.slice(0, start)}${MASK}${word.slice(end)}` : word;
}

/** Kubernetes names have digits, hyphens and slashes far more often than words of a message have. */
function isName(word: string, names: ReadonlySet<string>): boolean {
  return names.has(word) || /\d/.test(word) || /\//.test(word) || /^[a-z]+(?:-[a-z]+)+$/.test(word);
}
