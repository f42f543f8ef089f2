/**
 * Characters that a terminal does not show as themselves: control characters (C0, DEL, C1), characters that change the
 * direction of a text or have no width, line separators, private ones, halves of surrogate pairs.
 */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;
const SHORT: { readonly [char: string]: string } = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Returns foreign text as one line of printable characters: names of objects and messages of errors must
 * not move the cursor, set the title or forge a line. A newline becomes `\n`, an escape character `\u001b`.
 */
export function escaped(text: string): string {
  return text.replace(UNSHOWN, (char) => SHORT[char] ?? asCode(char));
}

/** Escapes text but keeps its newlines, as for JSON or source code; in a string literal the escapes mean the same. */
export function escapedLines(text: string): string {
  return text.replace(UNSHOWN, (char) => (char === "\n" ? char : asUnits(char)));
}

function asCode(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : asUnits(char);
}

/** Writes a character as JSON and JavaScript do. */
function asUnits(char: string): string {
  return [...Array(char.length).keys()]
    .map((index) => `\\u${char.charCodeAt(index).toString(16).padStart(4, "0")}`)
    .join("");
}
