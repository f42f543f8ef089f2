import { randomBytes, randomUUID } from "node:crypto";
import type { Random } from "../shared/runtime/ports.ts";

/** The chance of this machine; what nobody shall guess is really random. */
export const systemRandom: Random = Object.freeze({
  number: Math.random,
  id: (bytes: number) => randomBytes(bytes).toString("hex"),
  uuid: randomUUID,
});
