import { createHash } from "node:crypto";
import * as z from "zod";
import type { Key } from "../../../../shared/runtime/queue/key.ts";
import type { Priority } from "../../../../shared/runtime/queue/queue-port.ts";
import type { Token } from "../../tokens/token-ledger.ts";

/** S-20; Capstan never sends a longer message. */
const MAX_BODY_BYTES = 4_096;
/** A MessageGroupId that SQS accepts: printable ASCII without space, up to 128 characters. */
const GROUP_ID = /^[!-~]{1,128}$/;

const bodySchema = z.strictObject({
  v: z.literal(1),
  k: z.string().min(1),
  s: z.string().min(1).max(128),
});

/** Returns a token as message body, `{"v":1,"k":…,"s":…}`; the priority is the queue it travels on. Plain ASCII. */
export function bodyOf({ key, seq }: Pick<Token, "key" | "seq">): string {
  const text = JSON.stringify({ v: 1, k: key, s: seq });
  // SQS refuses some characters (U+FFFE, for instance) that JSON leaves as they are.
  return text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Returns the token in a message body; `undefined` for any other text. */
export function parseBody(body: unknown, priority: Priority): Token | undefined {
  if (typeof body !== "string" || Buffer.byteLength(body) > MAX_BODY_BYTES) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  const parsed = bodySchema.safeParse(value);
  return parsed.success ? { key: parsed.data.k, seq: parsed.data.s, priority } : undefined;
}

/** Returns whether a token of this key fits into a message with any seq. */
export function fitsIntoMessage(key: Key): boolean {
  // Escaping only makes it longer; this spares a key of megabytes the work.
  return key.length <= MAX_BODY_BYTES && bodyOf({ key, seq: "s".repeat(128) }).length <= MAX_BODY_BYTES;
}

/** Returns the MessageGroupId: the tenant, or its hash where SQS would refuse it. Switches on fair queues. */
export function groupOf(key: Key): string {
  const [tenant = ""] = key.split("|", 1);
  return GROUP_ID.test(tenant) ? tenant : createHash("sha256").update(tenant).digest("hex");
}
