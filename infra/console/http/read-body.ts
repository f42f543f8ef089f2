import type { Message } from "../message.ts";
import { problem } from "../problem.ts";

/** Reads a JSON body. Throws the Problem of a longer one, or of one that is not JSON. */
export async function readBody(message: Message, maxBytes: number): Promise<unknown> {
  const tooLarge = problem("tooLarge", `the body has more than ${maxBytes / 1024} KiB`, "send less at once");
  if (Number(message.headers["content-length"] ?? 0) > maxBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The connection stays for the answer, which says that the body is too long.
  for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw problem("badRequest", "the body is not JSON in UTF-8", "send a JSON object");
  }
}
