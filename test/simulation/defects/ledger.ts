import type { Claim, ClaimTerms } from "../../../infra/queue/claim.ts";
import type { Ledger } from "../../../infra/queue/ledger/ledger.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import type { Outcome } from "../../../shared/runtime/queue/queue-port.ts";
import { type Defect, patched } from "./defect.ts";

/** */
const BASE_MS = 100;
const CAP_MS = 300_000;
const YEAR_MS = 365 * 24 * 3_600_000;

/** The state machine of keys. */
export const ledgerDefects: readonly Defect[] = [
  {
    number: "D-02",
    title: "a change during processing is dropped",
    target: { workload: "W-02", faults: [] },
    patch: () => ({
      ledger: (ledger) =>
        patched(ledger, {
          enqueue(now, entry) {
            if (ledger.keyState(entry.key)?.state !== "running") ledger.enqueue(now, entry);
          },
        }),
    }),
  },
  {
    number: "D-03",
    title: "a second run is started at once, without waiting for the first",
    target: { workload: "W-02", faults: [] },
    patch: () => ({
      ledger: (ledger) =>
        patched(ledger, {
          enqueue(now, entry) {
            const { owner } = ledger.keyState(entry.key) ?? {};
            if (owner !== undefined) ledger.release(now, { key: entry.key, owner });
            ledger.enqueue(now, entry);
          },
        }),
    }),
  },
  {
    number: "D-15",
    title: "the backoff is never reset",
    target: { workload: "W-01", faults: ["X-22"] },
    patch: () => ({ ledger: remembering }),
  },
  {
    number: "D-16",
    title: "a dead letter blocks its key for ever",
    target: { workload: "W-01", faults: ["X-25"] },
    patch: () => ({
      ledger: (ledger) =>
        patched(ledger, {
          enqueue(now, entry) {
            if (ledger.keyState(entry.key)?.state !== "dead") ledger.enqueue(now, entry);
          },
        }),
    }),
  },
  {
    number: "D-53",
    title: "what no retry can mend by itself is tried again a year later",
    target: { workload: "W-01", faults: ["X-25"] },
    patch: () => ({
      ledger: (ledger) =>
        patched(ledger, {
          finish(now, claim, outcome) {
            const isFinal = outcome.type === "error" && outcome.terminal;
            return ledger.finish(isFinal ? now + YEAR_MS : now, claim, outcome);
          },
        }),
    }),
  },
];

/** A ledger whose keys keep their failures after a success. */
function remembering(ledger: Ledger): Ledger {
  const failures = new Map<Key, number>();
  const total = (key: Key): number => failures.get(key) ?? 0;
  return patched(ledger, {
    claim(now: number, terms: ClaimTerms): Claim | undefined {
      const claim = ledger.claim(now, terms);
      return claim === undefined ? undefined : { ...claim, failures: total(claim.key) };
    },
    finish(now: number, claim: Pick<Claim, "key" | "owner">, outcome: Outcome): boolean {
      if (outcome.type !== "error" || outcome.terminal) return ledger.finish(now, claim, outcome);
      const count = total(claim.key) + 1;
      failures.set(claim.key, count);
      const afterMs = Math.min(CAP_MS, BASE_MS * 2 ** (count - 1));
      return ledger.finish(now, claim, { type: "again", afterMs, fences: outcome.fences ?? [] });
    },
  });
}
