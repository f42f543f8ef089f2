import type { FailedRun } from "../../../shared/runtime/letters/dead-letters-port.ts";
import { LEASE_EXPIRED } from "../claim.ts";
import type { ExpiredLease, KeyDeath } from "./token-ledger.ts";

/** Returns a run whose lease expired as a failure for the dead letters: the letter of its key may come later. */
export function expiredRun(functionName: string, expired: ExpiredLease): FailedRun {
  return { ...expired, function: functionName, failure: LEASE_EXPIRED, causes: [] };
}

/** Returns the last run of a key that dies, when its worker is not there to report it. */
export function runBeforeDeath(
  functionName: string,
  { key, failure, failures, ranBy: owner, startedAt }: KeyDeath,
): FailedRun {
  return { function: functionName, key, owner, startedAt, failure, failures, retries: 0, causes: [] };
}
