import type { Claim, ClaimTerms } from "../../../infra/queue/claim.ts";
import type { Ledger } from "../../../infra/queue/ledger/ledger.ts";
import type { CountedFailure } from "../../../infra/queue/ledger/ledger-deaths.ts";
import type { TokenLedger } from "../../../infra/queue/tokens/token-ledger.ts";
import { countsIn, topTenants } from "../../../infra/queue/top-tenants.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import type { KeyState, Outcome, QueueEntry } from "../../../shared/runtime/queue/queue-port.ts";
import type { Kernel, Operation, Process } from "../kernel/kernel.ts";
import { FunctionLedger } from "./function-ledger.ts";

/** A call of the ledger by one process. */
export interface LedgerOperation extends Operation {
  readonly kind: "ledger";
  readonly call: string;
  readonly functionName: string;
  /** Of the claim that it is about. */
  readonly owner?: string | undefined;
  /** The ledger does not answer. */
  fail(error: Error): void;
}

/** One end of a run, as the ledger has accepted it. */
interface Finished {
  readonly functionName: string;
  readonly claim: Claim & ClaimTerms;
  readonly outcome: Outcome;
  readonly accepted: boolean;
}

/** The ledger that several processes share: the state machine of `infra/queue/ledger/ledger.ts`, a network away. */
export interface SharedLedger {
  of(process: Process): TokenLedger;
  /** Everything is gone; processes see another epoch. */
  wipe(): void;
  /** It has failed over: the newest so many ms are lost, processes see another epoch. */
  goBack(ms: number): void;
  /** It may have lost something: processes see another epoch. */
  newEpoch(): void;
  /** Ends the leases of running keys although their runs continue; returns how many. */
  expireLeases(): number;
  onFinish(observer: (finished: Finished) => void): void;
  onClaim(observer: (functionName: string, claim: Claim) => void): void;
  /** Called before the ledger has it. */
  onEnqueue(observer: (functionName: string, entry: QueueEntry) => void): void;
  onRenew(observer: (functionName: string, claim: Claim) => void): void;
  /** A failure that the ledger has counted: of a run, or an expired lease. */
  onFailure(observer: (functionName: string, failed: CountedFailure) => void): void;
  onWipe(observer: () => void): void;
  /** Where a key stands, beside the scheduler; undefined = idle. */
  stateOf(functionName: string, key: Key): KeyState | undefined;
  /** Keys that have a token as far as the ledger remembers, and since when, ms since the epoch. */
  tokened(functionName: string): ReadonlyMap<Key, number>;
  /** Keys that claims would return now, in this order. */
  line(functionName: string): readonly Claim[];
  /** Keys that are not idle. */
  busy(): number;
}

/** `patched` stands in for the state machine of one function: a seeded defect. */
export function createSharedLedger(
  kernel: Kernel,
  patched = (ledger: Ledger): Ledger => ledger,
): SharedLedger {
  const random = kernel.chance("ledger");
  const functions = new Map<string, FunctionLedger>();
  const finishes: ((finished: Finished) => void)[] = [];
  const claims: ((functionName: string, claim: Claim) => void)[] = [];
  const enqueued: ((functionName: string, entry: QueueEntry) => void)[] = [];
  const renewed: ((functionName: string, claim: Claim) => void)[] = [];
  const failed: ((functionName: string, failure: CountedFailure) => void)[] = [];
  const wiped: (() => void)[] = [];
  let epoch = 1;
  const create = (name: string): FunctionLedger =>
    new FunctionLedger(random.number, patched, (failure) => {
      for (const observer of failed) observer(name, failure);
    });
  const ledgerOf = (name: string): FunctionLedger => {
    const known = functions.get(name) ?? create(name);
    functions.set(name, known);
    return known;
  };
  const claimed = (name: string, claim: Claim | undefined): Claim | undefined => {
    if (claim === undefined) return undefined;
    functions.get(name)?.tokened.delete(claim.key);
    for (const observer of claims) observer(name, claim);
    return claim;
  };

  const tenantsOf = (ledger: Ledger) => new Map(Object.entries(ledger.depth(kernel.now).tenants ?? {}));
  const of = (process: Process): TokenLedger => {
    const call = <T>(
      functionName: string,
      name: string,
      make: (ledger: FunctionLedger) => T,
      owner?: string,
    ): Promise<T> =>
      new Promise((resolve, reject) => {
        const operation: LedgerOperation = {
          process,
          kind: "ledger",
          call: name,
          functionName,
          owner,
          isQuiet: name === "tick",
          what: () => `${name} ${functionName}`,
          run: () => resolve(make(ledgerOf(functionName))),
          fail: reject,
        };
        kernel.post(operation);
      });
    return {
      enqueue: (name, entries) =>
        call(name, `enqueue ${entries.map(({ key }) => key).join()}`, (ledger) =>
          ledger.change(kernel.now, (inner) => {
            for (const entry of entries) {
              for (const observer of enqueued) observer(name, entry);
              ledger.keys.add(entry.key);
              inner.enqueue(kernel.now, entry);
            }
            return true;
          }),
        ),
      claim: (name, _token, terms) =>
        call(name, "claim", (ledger) => claimed(name, ledger.inner.claim(kernel.now, terms))),
      finish: (name, claim, outcome, next) =>
        call(
          name,
          `finish ${claim.key} ${outcome.type}`,
          (ledger) => {
            const change = ledger.change(kernel.now, (inner) => inner.finish(kernel.now, claim, outcome));
            for (const observer of finishes) {
              observer({ functionName: name, claim, outcome, accepted: change.accepted });
            }
            const following = next === undefined ? undefined : ledger.inner.claim(kernel.now, next);
            return following === undefined
              ? change
              : { ...change, next: claimed(name, following) ?? following };
          },
          claim.owner,
        ),
      renew: (name, claim) =>
        call(name, `renew ${claim.key}`, ({ inner }) => {
          const held = inner.renew(kernel.now, claim, claim.leaseMs);
          if (held) for (const observer of renewed) observer(name, claim);
          return held;
        }),
      bury: (name, { key }) =>
        call(name, `bury ${key}`, (ledger) => ledger.change(kernel.now, () => ledger.bury(kernel.now, key))),
      release: (name, claim) =>
        call(name, `release ${claim.key}`, (ledger) =>
          ledger.change(kernel.now, (inner) => inner.release(kernel.now, claim)),
        ),
      tick: (name) =>
        call(name, "tick", (ledger) =>
          ledger.change(kernel.now, () => {
            ledger.tick(kernel.now);
            return true;
          }),
        ),
      // Ticks are rare here, and only replace work of a killed process.
      takeTicks: async () => true,
      pause: (name, paused) =>
        call(name, "pause", (ledger) => ledger.change(kernel.now, (inner) => inner.pause(paused))),
      requeue: (name, seen, cause) =>
        call(name, "requeue", (ledger) => {
          let done: readonly boolean[] = [];
          const change = ledger.change(kernel.now, (inner) => {
            done = seen.map((each) => inner.requeue(kernel.now, each, cause));
            return true;
          });
          return { ...change, done };
        }),
      depth: (name) => call(name, "depth", ({ inner }) => inner.depth(kernel.now)),
      dead: (name) => call(name, "dead", ({ inner }) => inner.dead()),
      peek: (name) =>
        call(name, "peek", ({ inner }) => ({
          ...inner.depth(kernel.now),
          counts: inner.counts(),
        })),
      topTenants: (name, limit, namespaces) =>
        call(name, "topTenants", ({ inner }) => topTenants(tenantsOf(inner), limit, namespaces)),
      countsIn: (name, namespaces) =>
        call(name, "countsIn", ({ inner }) => countsIn(tenantsOf(inner), namespaces)),
      keys: (name, selection) => call(name, "keys", ({ inner }) => inner.keys(selection)),
      keyState: (name, key) => call(name, "keyState", ({ inner }) => inner.keyState(key)),
      epoch: (name) => call(name, "epoch", () => String(epoch)),
    };
  };

  const lost = (): void => {
    epoch += 1;
    for (const observer of wiped) observer();
  };
  return {
    of,
    wipe() {
      functions.clear();
      lost();
    },
    goBack(ms) {
      for (const ledger of functions.values()) ledger.goBack(kernel.now - ms);
      lost();
    },
    newEpoch() {
      epoch += 1;
    },
    expireLeases() {
      let count = 0;
      for (const ledger of functions.values()) count += ledger.expireLeases(kernel.now);
      return count;
    },
    onFinish: (observer) => void finishes.push(observer),
    onClaim: (observer) => void claims.push(observer),
    onEnqueue: (observer) => void enqueued.push(observer),
    onRenew: (observer) => void renewed.push(observer),
    onFailure: (observer) => void failed.push(observer),
    onWipe: (observer) => void wiped.push(observer),
    stateOf: (name, key) => functions.get(name)?.inner.keyState(key),
    tokened: (name) => functions.get(name)?.tokened ?? new Map(),
    line: (name) => functions.get(name)?.line(kernel.now) ?? [],
    busy: () => [...functions.values()].reduce((sum, ledger) => sum + ledger.busy(), 0),
  };
}
