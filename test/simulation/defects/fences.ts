import type { TokenLedger } from "../../../infra/queue/tokens/token-ledger.ts";
import type { Fence } from "../../../shared/runtime/queue/queue-port.ts";
import { type Defect, patched } from "./defect.ts";

/** Defects of fences: the version that a run must not go back behind, and the time when it runs again. */
export const fenceDefects: readonly Defect[] = [
  {
    number: "D-04",
    title: "no fence of its own writes",
    target: { workload: "W-02", faults: ["X-13"] },
    patch: () => ({
      tokenLedger: (ledger) => withFences(ledger, () => []),
    }),
  },
  {
    number: "D-05",
    title: "fences are compared as strings",
    target: { workload: "W-02", faults: ["X-13"] },
    patch() {
      /** By object: the newest version that any fence has named. */
      const newest = new Map<string, string>();
      const isPassed = (fence: Fence): boolean => {
        const name = `${fence.cluster} ${fence.group} ${fence.kind} ${fence.namespace}/${fence.name}`;
        const known = newest.get(name) ?? "";
        newest.set(name, fence.resourceVersion);
        // "999" is more than "1000": whatever the snapshot is, it counts as new enough.
        return known > fence.resourceVersion;
      };
      return {
        tokenLedger: (ledger) => withFences(ledger, (fences) => fences.filter((fence) => !isPassed(fence))),
      };
    },
  },
  {
    number: "D-11",
    title: "timers are kept in the memory of the worker only",
    target: { workload: "W-04", faults: ["X-01"] },
    patch: () => ({
      tokenLedger: (ledger, process) =>
        patched(ledger, {
          finish(functionName, claim, outcome, next) {
            if (outcome.type !== "ok" || outcome.afterMs === undefined)
              return ledger.finish(functionName, claim, outcome, next);
            const again = { key: claim.key, priority: "live", cause: { what: "timer" } } as const;
            process.clock.after(outcome.afterMs, () => void ledger.enqueue(functionName, [again]));
            return ledger.finish(functionName, claim, { ...outcome, afterMs: undefined }, next);
          },
        }),
    }),
  },
];

function withFences(ledger: TokenLedger, keep: (fences: readonly Fence[]) => readonly Fence[]): TokenLedger {
  return patched(ledger, {
    finish(functionName, claim, outcome, next) {
      const kept = outcome.fences === undefined ? outcome : { ...outcome, fences: keep(outcome.fences) };
      return ledger.finish(functionName, claim, kept, next);
    },
  });
}
