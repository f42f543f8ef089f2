import { createHash } from "node:crypto";

/** An answer as JSON, and its version: that of the data, whatever the time at which they were read. */
export interface Versioned {
  readonly text: string;
  /** An ETag. */
  readonly etag: string;
}

export function versionOf(body: object, asOf: Date): Versioned {
  const digest = createHash("sha256").update(JSON.stringify(body)).digest("base64url");
  return {
    text: JSON.stringify({ asOf: asOf.toISOString(), ...body }),
    etag: `"${digest.slice(0, DIGEST_CHARS)}"`,
  };
}
/** 132 bits. */
const DIGEST_CHARS = 22;
