import type { Ledger } from "../../../infra/queue/ledger/ledger.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import type { QueueEntry } from "../../../shared/runtime/queue/queue-port.ts";

/** Every change of one ledger, so that it can lose its newest moments: the earlier ones are replayed. */
export interface LedgerJournal {
  /** A new ledger whose changes are kept. */
  open(): Ledger;
  /** The ledger as it was at that time, ms since the epoch; what came later has never been. */
  reopen(until: number): Ledger;
  /** The ledger as it is, to try something with. */
  copy(): Ledger;
  /** Every key that was ever enqueued. */
  readonly keys: readonly Key[];
}

interface Call {
  readonly at: number;
  readonly name: string;
  readonly given: readonly unknown[];
}

/** Calls that change a ledger; the first argument is the time. */
const CHANGES: ReadonlySet<string> = new Set([
  "enqueue",
  "claim",
  "finish",
  "renew",
  "release",
  "bury",
  "tick",
]);

export function createLedgerJournal(
  create: (random: () => number) => Ledger,
  random: () => number,
): LedgerJournal {
  let calls: Call[] = [];
  /** Random numbers that the ledger has drawn, for the replay. */
  let numbers: number[] = [];
  const open = (earlier: readonly number[]): Ledger => {
    const again = [...earlier];
    const ledger = create(() => {
      const number = again.shift() ?? random();
      numbers.push(number);
      return number;
    });
    return new Proxy(ledger, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...given: unknown[]) => {
          if (CHANGES.has(String(name))) calls.push({ at: Number(given[0]), name: String(name), given });
          return Reflect.apply(member, target, given);
        };
      },
    });
  };
  return {
    open: () => open([]),
    copy() {
      const again = [...numbers];
      const ledger = create(() => again.shift() ?? 0);
      for (const { name, given } of calls) Reflect.apply(Reflect.get(ledger, name), ledger, given);
      return ledger;
    },
    get keys() {
      return calls.flatMap(({ name, given }) => (name === "enqueue" ? [(given[1] as QueueEntry).key] : []));
    },
    reopen(until) {
      const kept = calls.filter(({ at }) => at <= until);
      const drawn = numbers;
      calls = [];
      numbers = [];
      const ledger = open(drawn);
      for (const { name, given } of kept) Reflect.apply(Reflect.get(ledger, name), ledger, given);
      return ledger;
    },
  };
}
