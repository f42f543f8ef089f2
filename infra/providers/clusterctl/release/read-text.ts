import { isUtf8 } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { MAX_RELEASE_BYTES } from "../render/objects.ts";

/**
 * Reads a file of a release as text. Throws without its name where it is missing, not a file, larger than `maxBytes` or
 * not UTF-8 text.
 */
export async function readReleaseText(file: string, maxBytes = MAX_RELEASE_BYTES): Promise<string> {
  const found = await stat(file).catch((error: Error) => {
    throw new Error(`cannot read it: ${error.message}`, { cause: error });
  });
  // A pipe has no size, so it could never end.
  if (!found.isFile()) throw new Error("not a file; name a YAML file");
  if (found.size > maxBytes)
    throw new Error(`larger than the ${MAX_RELEASE_BYTES} bytes that a release may have`);
  const bytes = await readFile(file);
  if (!isUtf8(bytes) || bytes.includes(0)) throw new Error("not a text in UTF-8; name a YAML file");
  return bytes.toString("utf8");
}
