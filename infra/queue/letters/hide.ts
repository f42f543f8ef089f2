import { createHmac, randomBytes } from "node:crypto";
import type { Hide } from "../../../shared/redaction/hide.ts";

/** Returns 32 random bytes as hex: what makes equal secrets of one installation equal, and of two different. */
export function newHideKey(): string {
  return randomBytes(32).toString("hex");
}

export function hideWith(key: string): Hide {
  const bytes = Buffer.from(key, "hex");
  return (secret) => `hmac-sha256:${createHmac("sha256", bytes).update(secret).digest("hex").slice(0, 16)}`;
}
