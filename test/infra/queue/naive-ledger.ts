import { type Claim, type ClaimTerms, FENCES_KEPT_MS } from "../../../infra/queue/claim.ts";
import { BREAKER, LEDGER_LIMITS } from "../../../infra/queue/limits.ts";
import { backoffMs } from "../../../shared/function/backoff.ts";
import type { Cause, Fence, Outcome, QueueEntry } from "../../../shared/runtime/queue-port.ts";

export const TERMS: ClaimTerms = {
  owner: "",
  leaseMs: 5_000,
  attempts: 3,
  minIntervalMs: 700,
  maxRunningPerTenant: 2,
};

export interface Row {
  key: string;
  state: "waiting" | "ready" | "running" | "dead";
  /** When it came to where it is, in steps: the order among equals. */
  turn: number;
  due: number;
  class: "live" | "resync";
  failures: number;
  again: number;
  causes: Cause[];
  events: Wish[];
  startedAt: number;
  owner: string;
  readyAt: number;
  deadSince: number;
  /** Stands among the live ones. */
  aged: boolean;
  /** Has been dead and neither succeeded nor been revived since. */
  died: boolean;
  /** Its last run has ended, its letter is being written: it still runs, but only for the letter. */
  dying: boolean;
}

interface Wish {
  readonly due: number;
  readonly class: "live" | "resync";
}

/** The table of Q-21 read as plainly as possible: a list of rows, looked through from the start every time. */
export class NaiveLedger {
  rows: Row[] = [];
  floors = new Map<string, number>();
  fences = new Map<string, { fences: readonly Fence[]; until: number }>();
  turn = 0;
  /** When each tenant was last served or came to a line, by class of the line. */
  turns = new Map<string, number>();
  paused: boolean = false;
  ends: { readonly at: number; readonly failed: boolean }[] = [];
  nextClaimAt: number | undefined;
  readonly terms: ClaimTerms;

  constructor(terms: ClaimTerms = TERMS) {
    this.terms = terms;
  }

  /** A key that joins a line in which its tenant has none puts the tenant at the end. */
  join(row: Row): void {
    const alone = this.rows.every(
      (each) => each === row || each.state !== "ready" || lineOf(each) !== lineOf(row),
    );
    row.turn = ++this.turn;
    if (alone) this.turns.set(lineOf(row), this.turn);
  }

  settle(now: number): void {
    const first = Math.floor(now / BREAKER.intervalMs) - BREAKER.intervals + 1;
    this.ends = this.ends.filter(({ at }) => Math.floor(at / BREAKER.intervalMs) >= first);
    const failures = this.ends.filter(({ failed }) => failed).length;
    const open = this.ends.length >= BREAKER.minRuns && failures / this.ends.length > 0.5;
    this.nextClaimAt = open ? (this.nextClaimAt ?? now + BREAKER.claimEveryMs) : undefined;
  }

  place(now: number, row: Row, due: number): void {
    const at = Math.max(due, this.floors.get(row.key) ?? 0);
    row.events = [];
    if (row.state !== "waiting" || row.due !== at || at <= now) row.turn = ++this.turn;
    row.due = at;
    row.state = at > now ? "waiting" : "ready";
    row.aged = false;
    row.readyAt = now;
    if (row.state === "ready") this.join(row);
  }

  enqueue(now: number, { key, delayMs = 0, class: wanted, cause }: QueueEntry): void {
    const event: Wish = { due: now + delayMs, class: wanted };
    const known = this.rows.find((each) => each.key === key);
    const row = known ?? newRow(key, wanted);
    if (known === undefined) {
      this.rows.push(row);
      this.place(now, row, event.due);
    } else if (row.state === "running") {
      row.events.push(event);
    } else if (row.state === "dead") {
      this.revive(row, wanted);
      row.class = wanted;
      this.place(now, row, event.due);
    } else {
      this.merge(now, row, event);
    }
    if (cause !== undefined) row.causes = [cause, ...row.causes.filter(({ what }) => what !== cause.what)];
  }

  merge(now: number, row: Row, event: Wish): void {
    if (row.died && event.class === "live") this.revive(row, "live");
    if (row.class === "resync" && event.class === "live") {
      row.class = "live";
      if (row.state === "ready" && !row.aged) this.join(row);
    }
    if (row.state === "waiting" && event.due < row.due) this.place(now, row, event.due);
  }

  revive(row: Row, wanted: "live" | "resync"): void {
    row.failures = wanted === "live" ? 0 : this.terms.attempts - 1;
    row.died = wanted === "resync";
  }

  /** Claims `key`, where a driver leaves the order to others; otherwise the first key. */
  claim(now: number, owner: string, key?: string): Omit<Claim, "owner"> | undefined {
    const ready = this.rows.filter((row) => row.state === "ready" && (key ?? row.key) === row.key);
    if (this.paused || ready.length === 0) return undefined;
    if (this.nextClaimAt !== undefined && now < this.nextClaimAt) return undefined;
    const row = this.firstWithRoom(ready);
    if (row === undefined) return undefined;
    if (this.nextClaimAt !== undefined) this.nextClaimAt = now + BREAKER.claimEveryMs;
    this.turns.set(lineOf(row), ++this.turn);
    const kept = this.fences.get(row.key);
    const claim = {
      key: row.key,
      failures: row.failures,
      again: row.again,
      causes: row.causes,
      fences: kept !== undefined && kept.until > now ? kept.fences : [],
      readyMs: now - row.readyAt,
      claimedAtMs: now,
    };
    Object.assign(row, {
      state: "running",
      due: now + this.terms.leaseMs,
      startedAt: now,
      owner,
      causes: [],
      turn: ++this.turn,
    });
    return claim;
  }

  /** A dying key keeps its tenant's slot until it is buried, which takes longer than a claim of what has room now. */
  firstWithRoom(ready: readonly Row[]): Row | undefined {
    for (;;) {
      const row = ready.filter((each) => this.hasRoom(each)).toSorted((a, b) => this.order(a, b))[0];
      if (row !== undefined || !this.bury()) return row;
    }
  }

  /** The letter of the key that began to die first is written. False when there is none. */
  bury(): boolean {
    const dying = this.rows.filter((row) => row.dying).toSorted((a, b) => a.turn - b.turn)[0];
    if (dying === undefined) return false;
    Object.assign(dying, { state: "dead", dying: false, turn: ++this.turn });
    return true;
  }

  buryAll(): void {
    while (this.bury());
  }

  /** Time has its effect and all letters are written, which may be what time waits for. */
  rest(now: number): void {
    do this.tick(now);
    while (this.bury());
  }

  /** Ready keys that a worker with a free slot would run now. */
  claimable(now: number): readonly Row[] {
    if (this.paused || (this.nextClaimAt !== undefined && now < this.nextClaimAt)) return [];
    return this.rows.filter((row) => row.state === "ready" && this.hasRoom(row));
  }

  hasRoom({ key }: Row): boolean {
    return this.running(key) < (this.terms.maxRunningPerTenant ?? Number.POSITIVE_INFINITY);
  }

  running(key: string): number {
    return this.rows.filter((row) => row.state === "running" && tenantOf(row.key) === tenantOf(key)).length;
  }

  /** When time next moves something on; Infinity = never. */
  nextAt(): number {
    const open = this.paused ? undefined : this.nextClaimAt;
    return Math.min(...this.rows.map(dueOf), open ?? Number.POSITIVE_INFINITY);
  }

  order(a: Row, b: Row): number {
    const urgent = (row: Row): number => (row.aged || row.class === "live" ? 0 : 1);
    const turnOf = (row: Row): number => this.turns.get(lineOf(row)) ?? 0;
    return urgent(a) - urgent(b) || turnOf(a) - turnOf(b) || a.turn - b.turn;
  }

  finish(now: number, claim: Claim, outcome: Outcome): boolean {
    const row = this.rows.find((each) => each.key === claim.key);
    if (row?.state !== "running" || row.owner !== claim.owner) return false;
    if (outcome.fences !== undefined)
      this.fences.set(row.key, { fences: outcome.fences, until: now + FENCES_KEPT_MS });
    if (outcome.type !== "again" && outcome.requested)
      this.floors.set(row.key, row.startedAt + this.terms.minIntervalMs);
    if (outcome.type === "error") {
      this.fail(now, row, outcome.terminal);
      return true;
    }
    row.again = outcome.type === "again" ? row.again + 1 : 0;
    if (outcome.type === "ok") {
      Object.assign(row, { failures: 0, died: false });
      this.ends.push({ at: now, failed: false });
      this.settle(now);
    }
    this.next(
      now,
      row,
      outcome.afterMs === undefined ? [] : [{ due: now + outcome.afterMs, class: row.class }],
    );
    return true;
  }

  next(now: number, row: Row, own: readonly Wish[]): void {
    const wishes = [...own, ...row.events];
    if (wishes.length === 0) {
      this.rows = this.rows.filter((each) => each !== row);
      return;
    }
    row.class = wishes.some((wish) => wish.class === "live") ? "live" : "resync";
    this.place(now, row, Math.min(...wishes.map(({ due }) => due)));
  }

  fail(now: number, row: Row, terminal: boolean): void {
    row.failures += 1;
    row.again = 0;
    this.ends.push({ at: now, failed: true });
    this.settle(now);
    const retry = {
      due: now + Math.max(this.terms.minIntervalMs, backoffMs(row.failures, 0)),
      class: row.class,
    };
    if (!terminal && row.failures < this.terms.attempts) {
      this.next(now, row, [retry]);
    } else if (row.events.length === 0) {
      if (!row.died) row.deadSince = now;
      Object.assign(row, { dying: true, died: true, owner: "", turn: ++this.turn });
    } else {
      const revived = row.died && row.events.some((event) => event.class === "live");
      row.failures = revived ? 0 : this.terms.attempts - 1;
      if (revived) row.died = false;
      this.next(now, row, [{ due: Number.POSITIVE_INFINITY, class: row.class }]);
    }
  }

  release(now: number, claim: Claim): boolean {
    const row = this.rows.find((each) => each.key === claim.key);
    if (row?.state !== "running" || row.owner !== claim.owner) return false;
    this.next(now, row, [{ due: now, class: row.class }]);
    return true;
  }

  /** One thing at a time, the earliest first. */
  tick(now: number): void {
    this.settle(now);
    for (;;) {
      const due = this.rows.filter((row) => dueOf(row) <= now);
      const row = due.toSorted((a, b) => dueOf(a) - dueOf(b) || a.turn - b.turn)[0];
      if (row === undefined) return;
      if (row.state === "running") {
        this.fail(now, row, false);
      } else if (row.state === "waiting") {
        this.place(now, row, now);
      } else if (row.state === "dead") {
        this.rows = this.rows.filter((each) => each !== row);
      } else {
        row.aged = true;
        this.join(row);
      }
    }
  }

  counts() {
    const count = (state: Row["state"]) => this.rows.filter((row) => row.state === state).length;
    return {
      waiting: count("waiting"),
      ready: count("ready"),
      running: count("running"),
      dead: count("dead"),
    };
  }
}

function tenantOf(key: string): string {
  return key.includes("|") ? (key.split("|")[0] ?? "") : "";
}

function lineOf(row: Row): string {
  return `${row.aged ? "live" : row.class} ${tenantOf(row.key)}`;
}

/** When time moves a row on. */
function dueOf(row: Row): number {
  if (row.dying) return Number.POSITIVE_INFINITY;
  if (row.state === "dead") return row.deadSince + LEDGER_LIMITS.deadKeptMs;
  if (row.state !== "ready") return row.due;
  return row.class === "resync" && !row.aged ? row.readyAt + LEDGER_LIMITS.agingMs : Number.POSITIVE_INFINITY;
}

function newRow(key: string, wanted: "live" | "resync"): Row {
  return {
    key,
    state: "waiting",
    turn: 0,
    due: 0,
    class: wanted,
    failures: 0,
    again: 0,
    causes: [],
    events: [],
    startedAt: 0,
    owner: "",
    readyAt: 0,
    deadSince: 0,
    aged: false,
    died: false,
    dying: false,
  };
}
