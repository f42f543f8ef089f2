import type { KubeObject } from "../../api/kinds.ts";
import { MINUTE } from "../../function/backoff.ts";
import { type Result, requeueAfter } from "../../function/result.ts";

/** The age up to which the status of an object waits: a write that is refused must not silence it for ever. */
const HELD_BACK_UNTIL_MS = MINUTE;

/**
 * Returns how the status of a young object waits for `guard`, `adopt` and `sync`, if they still have something to write:
 * their writes wake the status again, and those to the spec raise the generation that it names, so it would be written
 * twice. `undefined` from the age of 60 s on: the status is written now.
 */
export function heldBack({ metadata }: KubeObject, now: Date): Result | undefined {
  const createdAt = Date.parse(metadata.creationTimestamp ?? "");
  const remainingMs = createdAt + HELD_BACK_UNTIL_MS - now.getTime();
  return remainingMs > 0
    ? requeueAfter(remainingMs, "finalizer, owner references and spec are written first")
    : undefined;
}
