import { parseKey } from "../../../shared/runtime/key.ts";
import type { FailedRun } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { QueueEntry } from "../../../shared/runtime/queue-port.ts";
import type { Claim } from "../claim.ts";
import type { Token } from "./token-ledger.ts";

/** What arrived instead of a token: acknowledged, recorded, never retried. */
export interface MalformedToken {
  /** Where it came from and what is wrong; never what is in it, which is somebody else's. */
  readonly malformed: string;
  readonly class: QueueEntry["class"];
}

/**
 * Stands for the key in the letter of what has none. One letter per function, the newest wins and `times` counts, so
 * that a flood of garbage cannot push out the letters of real keys.
 */
const MALFORMED_TOKEN = "malformed-token";

export function isMalformed(arrived: Token | MalformedToken): arrived is MalformedToken {
  return "malformed" in arrived;
}

/** A token of our shape whose key is none; undefined when the ledger knows the key, which then dies by its run. */
export function malformedKey(
  { key, class: wanted }: Token,
  claim: Claim | undefined,
): MalformedToken | undefined {
  if (claim?.key === key || parseKey(key) !== undefined) return undefined;
  return { malformed: `a token for a key of ${key.length} characters that is none`, class: wanted };
}

/** What arrived as a failure for the dead letters. `now` by the clock of this process: no ledger knows of it. */
export function malformedRun(functionName: string, arrived: MalformedToken, now: Date): FailedRun {
  const message = `${arrived.malformed}; find out who else writes to this queue, then capstan dlq drop ${functionName} ${MALFORMED_TOKEN}`;
  return {
    function: functionName,
    key: MALFORMED_TOKEN,
    failure: { class: "Terminal", reason: "MalformedToken", message },
    failures: 1,
    again: 0,
    causes: [],
    death: { reason: "Malformed", class: arrived.class, since: now },
  };
}
