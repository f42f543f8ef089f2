/** The decision of a step about the future of its key. There is no "requeue now". */
export type Result =
  | { readonly type: "done" }
  | { readonly type: "wait"; readonly what: string }
  | { readonly type: "requeue"; readonly afterMs: number; readonly why: string }
  | { readonly type: "failed"; readonly reason: string; readonly message: string };

/** The desired state is written; the next relevant change brings the key back. */
export const done: Result = Object.freeze({ type: "done" });

/** A named dependency is missing: `Kind.path`. Idle until its change brings the key back. */
export function waitFor(what: string): Result {
  return { type: "wait", what };
}

/** Asks for another run, only for clocks: grace period, timeout, expiry. `afterMs` below 0 counts as 0. */
export function requeueAfter(afterMs: number, why: string): Result {
  return { type: "requeue", afterMs: Math.max(0, afterMs), why };
}

/** Ends as a decided, terminal failure: the writes happen first, then the key is dead until a change. */
export function failed(reason: string, message: string): Result {
  return { type: "failed", reason, message };
}

const RANK = { failed: 0, requeue: 1, wait: 2, done: 3 } as const;

/** The more urgent of two results: failed before requeue before wait before done, the smaller time first. */
export function soonest(a: Result, b: Result): Result {
  if (a.type === "requeue" && b.type === "requeue") return a.afterMs <= b.afterMs ? a : b;
  return RANK[a.type] <= RANK[b.type] ? a : b;
}
