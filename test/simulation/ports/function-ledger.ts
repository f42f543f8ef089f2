import type { Claim } from "../../../infra/queue/claim.ts";
import { Ledger } from "../../../infra/queue/ledger/ledger.ts";
import type { CountedFailure } from "../../../infra/queue/ledger/ledger-deaths.ts";
import type { Change, ExpiredLease, KeyDeath, Token } from "../../../infra/queue/tokens/token-ledger.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";
import { createLedgerJournal, type LedgerJournal } from "./ledger-journal.ts";

/** The token of an unclaimed key is sent again. */
const RESEND_MS = 5_000;

/** The ledger of one function, with the tokens of its ready keys. */
export class FunctionLedger {
  inner: Ledger;
  readonly #journal: LedgerJournal;
  /** Every key that may not be idle. */
  readonly keys = new Set<Key>();
  #isGoingBack: boolean = false;
  #isCopying: boolean = false;
  readonly tokened = new Map<Key, number>();
  readonly #dyingSince = new Map<Key, Date>();
  #deaths: KeyDeath[] = [];
  #isTicking: boolean = false;
  #expired: ExpiredLease[] = [];

  constructor(
    random: () => number,
    patched: (ledger: Ledger) => Ledger,
    noteFailure: (failed: CountedFailure) => void,
  ) {
    const onFailure = (failed: CountedFailure): void => {
      if (this.#isCopying) return;
      if (!this.#isGoingBack) noteFailure(failed);
      this.#failed(failed);
    };
    this.#journal = createLedgerJournal((chance) => {
      return patched(new Ledger({ random: chance, onFailure }));
    }, random);
    this.inner = this.#journal.open();
  }

  goBack(until: number): void {
    this.#isGoingBack = true;
    this.inner = this.#journal.reopen(until);
    this.#isGoingBack = false;
    this.#deaths = [];
    this.#expired = [];
    for (const key of this.#journal.keys) this.keys.add(key);
    this.tokened.clear();
  }

  line(now: number): readonly Claim[] {
    this.#isCopying = true;
    const copy = this.#journal.copy();
    this.#isCopying = false;
    const claims: Claim[] = [];
    const next = () => copy.claim(now, { owner: "line", leaseMs: 1, attempts: 1, minIntervalMs: 0 });
    for (let claim = next(); claim !== undefined; claim = next()) claims.push(claim);
    return claims;
  }

  /** Lets time have its effect, makes a change, and says what it leaves to do. */
  change(now: number, make: (inner: Ledger) => boolean): Change {
    const accepted = make(this.inner);
    this.tick(now);
    const [deaths, expired] = [this.#deaths, this.#expired];
    this.#deaths = [];
    this.#expired = [];
    const nextAt = this.inner.nextAt();
    return {
      accepted,
      deaths,
      expired,
      tokens: this.#tokens(now),
      waitMs: nextAt === undefined ? undefined : Math.max(0, nextAt - now),
    };
  }

  tick(now: number): void {
    this.#isTicking = true;
    this.inner.tick(now);
    this.#isTicking = false;
  }

  bury(now: number, key: Key): boolean {
    const since = this.#dyingSince.get(key);
    if (since === undefined) return false;
    this.#dyingSince.delete(key);
    this.inner.bury(now, key, since);
    return true;
  }

  /** Ends every lease by letting the ledger look at a time when all of them are over, and then at the present again. */
  expireLeases(now: number): number {
    const running = [...this.keys].filter((key) => this.inner.keyState(key)?.state === "running");
    if (running.length > 0) this.inner.tick(now + 31_000);
    return running.length;
  }

  busy(): number {
    return [...this.keys].filter((key) => {
      const state = this.inner.keyState(key)?.state;
      return state !== undefined && state !== "dead";
    }).length;
  }

  #tokens(now: number): readonly Token[] {
    const tokens: Token[] = [];
    for (const key of this.keys) {
      const known = this.inner.keyState(key);
      if (known === undefined) this.keys.delete(key);
      if (known?.state !== "ready") {
        this.tokened.delete(key);
        continue;
      }
      const sentAt = this.tokened.get(key);
      if (sentAt !== undefined && now - sentAt < RESEND_MS) continue;
      this.tokened.set(key, now);
      tokens.push({ key, seq: "", class: "live" });
    }
    return tokens;
  }

  #failed({ key, owner, startedAt = new Date(0), failure, failures, again, death }: CountedFailure): void {
    const run = { key, failures, startedAt };
    if (death === undefined) {
      // Else the worker of the run reports it.
      if (this.#isTicking) this.#expired.push({ ...run, again, owner: owner ?? "" });
      return;
    }
    this.#dyingSince.set(key, death.since);
    const { since, class: wanted } = death;
    this.#deaths.push({ ...run, class: wanted, since, owner: "ledger", failure, ranBy: owner ?? "" });
  }
}
