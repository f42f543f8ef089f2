import { randomBytes, randomUUID } from "node:crypto";
import type { Random } from "../shared/runtime/ports.ts";

/** The operating system is asked for so many bytes at once: an id of every run would cost more than many a run. */
const POOL_BYTES = 4_096;
let entropy = Buffer.alloc(0);

function id(bytes: number): string {
  if (entropy.length < bytes) entropy = randomBytes(Math.max(bytes, POOL_BYTES));
  const taken = entropy.subarray(0, bytes);
  entropy = entropy.subarray(bytes);
  return taken.toString("hex");
}

/** The chance of this machine; what nobody shall guess is really random. */
export const systemRandom: Random = Object.freeze({
  number: Math.random,
  id,
  uuid: randomUUID,
});
