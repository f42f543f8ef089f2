import type { FailedRun } from "../../../shared/runtime/letters/dead-letters-port.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import type { Priority } from "../../../shared/runtime/queue/queue-port.ts";
import type { Claim } from "../claim.ts";
import type { Token } from "./token-ledger.ts";

/** A message that is not a token: acknowledged, recorded, never retried. */
export interface MalformedToken {
  /** Its source and problem; never its content, which belongs to another program. */
  readonly malformed: string;
  readonly priority: Priority;
}

/**
 * Replaces the key in the letter of such a message. One letter per function, the newest wins and `times` counts, so
 * that a flood of garbage cannot push out the letters of real keys.
 */
const MALFORMED_TOKEN = "malformed-token";

export function isMalformed(arrived: Token | MalformedToken): arrived is MalformedToken {
  return "malformed" in arrived;
}

/** Returns a token whose key does not parse; undefined when the ledger knows the key, which then dies by its run. */
export function malformedKey({ key, priority }: Token, claim: Claim | undefined): MalformedToken | undefined {
  if (claim?.key === key || parseKey(key) !== undefined) return undefined;
  return { malformed: `a token has a malformed key of ${key.length} characters`, priority };
}

/** Returns the message as a failure for the dead letters. `now` by the clock of this process: no ledger is involved. */
export function malformedRun(functionName: string, arrived: MalformedToken, now: Date): FailedRun {
  const message = `${arrived.malformed}; find the other writer of this queue, then run capstan dlq drop ${functionName} ${MALFORMED_TOKEN}`;
  return {
    function: functionName,
    key: MALFORMED_TOKEN,
    failure: { class: "Terminal", reason: "MalformedToken", message },
    failures: 1,
    retries: 0,
    causes: [],
    death: { reason: "Malformed", priority: arrived.priority, since: now },
  };
}
