/*
 * Warning headers, as many as the real server sends: clients refuse answers with more headers.
 * Source: Kubernetes v1.34, staging/src/k8s.io/apiserver/pkg/endpoints/filters/warning.go
 */

/** When all texts have more characters together, each is cut, and the rest is left out as soon as they have as many. */
const TOTAL_CHARACTERS = 4 * 1024;
const CUT_CHARACTERS = 256;

/** The values of the `Warning` headers of one answer; a text that was given twice is sent once. */
export function warningHeaders(warnings: readonly string[]): readonly string[] {
  const texts = [...new Set(warnings)].filter((text) => text !== "");
  let total = 0;
  const isTooMuch = texts.some((text) => {
    total += text.length;
    return total > TOTAL_CHARACTERS;
  });
  return (isTooMuch ? cut(texts) : texts).map(toHeader);
}

function cut(texts: readonly string[]): readonly string[] {
  const kept: string[] = [];
  let total = 0;
  for (const text of texts) {
    if (total >= TOTAL_CHARACTERS) break;
    const part = text.slice(0, CUT_CHARACTERS);
    total += part.length;
    kept.push(part);
  }
  return kept;
}

function toHeader(text: string): string {
  // Header values are bytes; what is outside of printable ASCII would be refused by the HTTP library.
  const printable = text.replaceAll(/[^\x20-\x7e]/g, "?").replaceAll(/["\\]/g, "\\$&");
  return `299 - "${printable}"`;
}
