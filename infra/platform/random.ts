import { randomBytes, randomUUID } from "node:crypto";
import type { Random } from "../../shared/runtime/ports.ts";

/** Bytes that are read from the operating system at once: one read per run id would cost more than many runs. */
const POOL_BYTES = 4_096;
let entropy = Buffer.alloc(0);

function id(bytes: number): string {
  if (entropy.length < bytes) entropy = randomBytes(Math.max(bytes, POOL_BYTES));
  const taken = entropy.subarray(0, bytes);
  entropy = entropy.subarray(bytes);
  return taken.toString("hex");
}

/** Random numbers of this machine; those that must not be guessed come from the operating system. */
export const systemRandom: Random = Object.freeze({
  number: Math.random,
  id,
  uuid: randomUUID,
});
