import type { KubeObject } from "../../api/kinds.ts";
import { MINUTE } from "../../function/backoff.ts";
import { type Result, requeueAfter } from "../../function/result.ts";

/** The age up to which the status of an object waits: a write that is refused must not silence it for ever. */
const HELD_BACK_UNTIL_MS = MINUTE;

/**
 * Returns how the status of an object waits while `guard`, `adopt` or `sync` still have something to write (`isDue`, by
 * the rules that they decide with). Their writes wake the status again, and those to the spec raise the generation that
 * it names, so it would be written twice. `undefined`: the status is written now; always from the age of 60 s on.
 */
export function heldBack(object: KubeObject, isDue: boolean, now: Date): Result | undefined {
  const createdAt = Date.parse(object.metadata.creationTimestamp ?? "");
  const remainingMs = createdAt + HELD_BACK_UNTIL_MS - now.getTime();
  return isDue && remainingMs > 0
    ? requeueAfter(remainingMs, "finalizer, owner references and spec are written first")
    : undefined;
}
