import { gunzipSync, gzipSync } from "node:zlib";
import { type DeadLetter, parseDeadLetter } from "../../../shared/runtime/letters/dead-letter.ts";

/** Letters from here on are stored compressed. */
const GZIP_FROM_BYTES = 16 * 1024;
/** A stored letter that unpacks to more is not one of ours. */
const MAX_UNPACKED_BYTES = 4 * 1024 * 1024;
const GZIP = "gzip:";

/** A letter as the stores keep it: JSON, or `gzip:` and base64 above 16 KiB. */
export function encodeLetter(letter: DeadLetter): string {
  const text = JSON.stringify(letter);
  if (text.length <= GZIP_FROM_BYTES) return text;
  return `${GZIP}${gzipSync(text).toString("base64")}`;
}

/** Throws when the text is not a letter, or unpacks to more than 4 MiB. */
export function decodeLetter(text: string): DeadLetter {
  const json = text.startsWith(GZIP)
    ? gunzipSync(Buffer.from(text.slice(GZIP.length), "base64"), {
        maxOutputLength: MAX_UNPACKED_BYTES,
      }).toString()
    : text;
  return parseDeadLetter(JSON.parse(json));
}
