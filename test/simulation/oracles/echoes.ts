import type { Cause, Outcome } from "../../../shared/runtime/queue/queue-port.ts";
import type { SharedLedger } from "../ports/shared-ledger.ts";

/** The writes that need not wake the key whose runs have made them, also when the ledger has gone back since. */
export interface Echoes {
  has(functionName: string, key: string, change: string | undefined): boolean;
}

export function echoesIn(ledger: SharedLedger): Echoes {
  const known = new Set<string>();
  ledger.onFinish(({ functionName, claim, accepted, outcome }) => {
    if (accepted) for (const echo of echoesOf(outcome)) known.add(`${functionName} ${claim.key} ${echo}`);
  });
  return { has: (functionName, key, change) => known.has(`${functionName} ${key} ${change}`) };
}

/** Returns the changes that a run has made and need not see. */
export function echoesOf({ fences = [] }: Outcome): ReadonlySet<string> {
  return new Set(fences.flatMap(({ echo }) => echo ?? []));
}

/** Names a change as an echo does: `Machine default/m1@7`. */
export function changeIn({ what, resourceVersion }: Cause): string {
  return `${what}@${resourceVersion}`;
}
