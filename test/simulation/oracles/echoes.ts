import type { Cause, Outcome } from "../../../shared/runtime/queue/queue-port.ts";
import type { SharedLedger } from "../ports/shared-ledger.ts";

/** The writes that need not wake the key whose last run has made them. */
export interface Echoes {
  has(functionName: string, key: string, change: string | undefined): boolean;
}

export function echoesIn(ledger: SharedLedger): Echoes {
  const known = new Map<string, ReadonlySet<string>>();
  ledger.onFinish(({ functionName, claim, accepted, outcome }) => {
    if (accepted && outcome.fences !== undefined)
      known.set(`${functionName} ${claim.key}`, echoesOf(outcome));
  });
  return {
    has: (functionName, key, change = "") => known.get(`${functionName} ${key}`)?.has(change) === true,
  };
}

/** Returns the changes that a run has made and need not see. */
export function echoesOf({ fences = [] }: Outcome): ReadonlySet<string> {
  return new Set(fences.flatMap(({ echo }) => echo ?? []));
}

/** Names a change as an echo does: `Machine default/m1@7`. */
export function changeIn({ what, resourceVersion }: Cause): string {
  return `${what}@${resourceVersion}`;
}
