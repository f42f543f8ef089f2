import type { TokenLedger } from "../../../infra/queue/tokens/token-ledger.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";

/** The build of a process. */
export interface Version {
  readonly name: string;
  readonly has: (fn: AnyFunction) => boolean;
  /** How it speaks to the ledger. */
  readonly speaks: (ledger: TokenLedger) => TokenLedger;
}

export const CURRENT: Version = { name: "current", has: () => true, speaks: (ledger) => ledger };

/**
 * Another build: it has only some of the functions, knows nothing of causes, and logs text that no build has ever heard
 * of.
 */
export function otherVersion(has: Version["has"]): Version {
  return {
    name: "other",
    has,
    speaks: (ledger) => ({
      ...ledger,
      enqueue: (name, entries) =>
        ledger.enqueue(
          name,
          entries.map(({ cause: _, ...entry }) => Object.assign(entry, { hops: 1 })),
        ),
      finish: (name, claim, outcome, next) =>
        ledger.finish(name, claim, Object.assign({}, outcome, { hops: 1 }), next),
    }),
  };
}
