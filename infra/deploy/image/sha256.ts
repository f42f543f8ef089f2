import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** SHA-256 of a stream, or of the file at a path, in hexadecimal. */
export async function sha256Of(content: string | AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash("sha256");
  const chunks = typeof content === "string" ? createReadStream(content) : content;
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
}
