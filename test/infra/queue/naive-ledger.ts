import { type Claim, type ClaimTerms, FENCES_KEPT_MS } from "../../../infra/queue/claim.ts";
import { BREAKER, LEDGER_LIMITS } from "../../../infra/queue/limits.ts";
import { backoffMs } from "../../../shared/function/backoff.ts";
import type { Cause, Fence, Outcome, QueueEntry } from "../../../shared/runtime/queue/queue-port.ts";

export const TERMS: ClaimTerms = {
  owner: "",
  leaseMs: 5_000,
  attempts: 3,
  minIntervalMs: 700,
  maxRunningPerTenant: 2,
};

/** For ledgers beside it that draw their own numbers; backoffs are shorter than `minIntervalMs`. */
export const NO_JITTER = { slowMaxMs: LEDGER_LIMITS.slowMinMs };

export interface Row {
  key: string;
  state: "waiting" | "ready" | "running" | "dead";
  /** When it came to where it is, in steps: the order among equals. */
  turn: number;
  due: number;
  priority: "live" | "resync";
  failures: number;
  retries: number;
  causes: Cause[];
  events: Wish[];
  startedAt: number;
  owner: string;
  readyAt: number;
  deadSince: number;
  /** When a dying or dead key is tried again. */
  retryAt: number;
  /** Stands among the live ones. */
  aged: boolean;
  /** Has been dead and neither succeeded nor been revived since. */
  died: boolean;
  /** Its last run has ended, its letter is being written: it still runs, but only for the letter. */
  dying: boolean;
}

interface Wish {
  readonly due: number;
  readonly priority: "live" | "resync";
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
  /** When the breaker has opened last. */
  openedAt: number | undefined;
  /** Earliest start in the slow lane. */
  nextSlowAt = 0;
  readonly terms: ClaimTerms;

  /** Of dead keys that are due at one instant the first by name is tried first, as in Redis; else the longest dead. */
  readonly byName: boolean;

  constructor(terms: ClaimTerms = TERMS, byName = false) {
    this.terms = terms;
    this.byName = byName;
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
    if (open && this.nextClaimAt === undefined) this.openedAt = now;
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

  enqueue(now: number, { key, delayMs = 0, priority, cause }: QueueEntry): void {
    const event: Wish = { due: now + delayMs, priority };
    const known = this.rows.find((each) => each.key === key);
    const rests = known === undefined || known.state === "waiting";
    if (rests && isEcho(this.keptFences(now, key), cause)) return;
    const row = known ?? newRow(key, priority);
    if (known === undefined) {
      this.rows.push(row);
      this.place(now, row, event.due);
    } else if (row.state === "running") {
      row.events.push(event);
    } else if (row.state === "dead") {
      if (priority === "resync") return;
      this.revive(row);
      row.priority = priority;
      this.place(now, row, event.due);
    } else {
      this.merge(now, row, event);
    }
    const given = cause ?? (row.state === "running" ? { what: "unknown" } : undefined);
    if (given !== undefined)
      row.causes = [given, ...row.causes.filter((each) => nameOf(each) !== nameOf(given))];
  }

  keptFences(now: number, key: string): readonly Fence[] {
    const kept = this.fences.get(key);
    return kept !== undefined && kept.until > now ? kept.fences : [];
  }

  merge(now: number, row: Row, event: Wish): void {
    const before = lineOf(row);
    if (row.died && event.priority === "live") this.revive(row);
    row.priority = event.priority === "live" ? "live" : row.priority;
    if (row.state === "ready" && lineOf(row) !== before) this.join(row);
    if (row.state === "waiting" && event.due < row.due) this.place(now, row, event.due);
  }

  revive(row: Row): void {
    Object.assign(row, { failures: 0, died: false });
  }

  /** Claims `key`, where a driver leaves the order to others; otherwise the first key. */
  claim(now: number, owner: string, key?: string): Omit<Claim, "owner"> | undefined {
    const ready = this.rows.filter((row) => row.state === "ready" && (key ?? row.key) === row.key);
    if (this.paused || ready.length === 0) return undefined;
    // Of what ends at one instant a driver that orders by itself may have seen only a part before it claims.
    const opensNow = this.byName && this.openedAt === now;
    if (this.nextClaimAt !== undefined && now < this.nextClaimAt && !opensNow) return undefined;
    const row = this.firstWithRoom(ready);
    if (row === undefined) return undefined;
    if (this.nextClaimAt !== undefined) this.nextClaimAt = now + BREAKER.claimEveryMs;
    this.turns.set(lineOf(row), ++this.turn);
    const claim = {
      key: row.key,
      failures: row.failures,
      retries: row.retries,
      causes: row.causes,
      fences: this.keptFences(now, row.key),
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

  /** A dying key keeps its tenant's slot until it is marked dead, which takes longer than a claim of what has room now. */
  firstWithRoom(ready: readonly Row[]): Row | undefined {
    for (;;) {
      const row = ready.filter((each) => this.hasRoom(each)).toSorted((a, b) => this.order(a, b))[0];
      if (row !== undefined || !this.markDead()) return row;
    }
  }

  /** The letter of the key that began to die first is written. False when there is none. */
  markDead(): boolean {
    const dying = this.rows.filter((row) => row.dying).toSorted((a, b) => a.turn - b.turn)[0];
    if (dying === undefined) return false;
    Object.assign(dying, { state: "dead", dying: false, turn: ++this.turn });
    return true;
  }

  markAllDead(): void {
    while (this.markDead());
  }

  /** Time has its effect and all letters are written, which may be what time waits for. */
  rest(now: number): void {
    do this.tick(now);
    while (this.markDead());
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
    return Math.min(...this.rows.map((row) => this.dueOf(row)), open ?? Number.POSITIVE_INFINITY);
  }

  order(a: Row, b: Row): number {
    const urgent = (row: Row): number => ["live", "resync", "slow"].indexOf(lineOf(row).split(" ")[0] ?? "");
    const turnOf = (row: Row): number => this.turns.get(lineOf(row)) ?? 0;
    return urgent(a) - urgent(b) || turnOf(a) - turnOf(b) || a.turn - b.turn;
  }

  finish(now: number, claim: Claim, outcome: Outcome): boolean {
    const row = this.rows.find((each) => each.key === claim.key);
    if (row?.state !== "running" || row.owner !== claim.owner) return false;
    if (outcome.fences !== undefined)
      this.fences.set(row.key, { fences: outcome.fences, until: now + FENCES_KEPT_MS });
    if (outcome.type !== "retry" && outcome.requested)
      this.floors.set(row.key, row.startedAt + this.terms.minIntervalMs);
    if (outcome.type === "error") {
      this.fail(now, row, outcome.terminal);
      return true;
    }
    row.retries = outcome.type === "retry" ? row.retries + 1 : 0;
    if (outcome.type === "ok") {
      this.end(now, row, false);
      Object.assign(row, { failures: 0, died: false });
      const fences = outcome.fences ?? [];
      if (row.causes.every((cause) => isEcho(fences, cause))) Object.assign(row, { events: [], causes: [] });
    }
    this.next(
      now,
      row,
      outcome.afterMs === undefined ? [] : [{ due: now + outcome.afterMs, priority: row.priority }],
    );
    return true;
  }

  next(now: number, row: Row, own: readonly Wish[]): void {
    const wishes = [...own, ...row.events];
    if (wishes.length === 0) {
      this.rows = this.rows.filter((each) => each !== row);
      return;
    }
    row.priority = wishes.some((wish) => wish.priority === "live") ? "live" : "resync";
    if (row.died && row.priority === "live") this.revive(row);
    this.place(now, row, Math.min(...wishes.map(({ due }) => due)));
  }

  fail(now: number, row: Row, terminal: boolean): void {
    row.failures += 1;
    row.retries = 0;
    this.end(now, row, true);
    const retry = {
      due: now + Math.max(this.terms.minIntervalMs, backoffMs(row.failures, 0)),
      priority: row.priority,
    };
    const isLive = row.events.some((event) => event.priority === "live");
    if (row.died ? isLive : row.events.length > 0 && (terminal || row.failures >= this.terms.attempts)) {
      row.failures = row.died ? 0 : this.terms.attempts - 1;
      row.died = false;
      this.next(now, row, [{ due: Number.POSITIVE_INFINITY, priority: row.priority }]);
    } else if (!row.died && !terminal && row.failures < this.terms.attempts) {
      this.next(now, row, [retry]);
    } else {
      if (!row.died) row.deadSince = now;
      Object.assign(row, { dying: true, died: true, owner: "", turn: ++this.turn, events: [] });
      row.retryAt = now + LEDGER_LIMITS.slowMinMs;
    }
  }

  release(now: number, claim: Claim): boolean {
    const row = this.rows.find((each) => each.key === claim.key);
    if (row?.state !== "running" || row.owner !== claim.owner) return false;
    this.next(now, row, [{ due: now, priority: row.priority }]);
    return true;
  }

  /** One thing at a time, the earliest first; dead keys are tried again when all else is done. */
  tick(now: number): void {
    this.settle(now);
    for (;;) {
      const due = this.rows.filter((row) => this.dueOf(row) <= now);
      const isDead = ({ state }: Row): number => Number(state === "dead");
      const row = due.toSorted(
        (a, b) => isDead(a) - isDead(b) || this.dueOf(a) - this.dueOf(b) || this.tieOf(a, b),
      )[0];
      if (row === undefined) return;
      if (row.state === "running") {
        this.fail(now, row, false);
      } else if (row.state === "waiting") {
        this.place(now, row, now);
      } else if (row.state === "dead") {
        this.nextSlowAt = now + 1_000 / LEDGER_LIMITS.slowPerSecond;
        row.priority = "resync";
        this.place(now, row, now);
      } else {
        row.aged = true;
        this.join(row);
      }
    }
  }

  tieOf(a: Row, b: Row): number {
    if (a.state !== "dead" || b.state !== "dead") return a.turn - b.turn;
    const byName = a.key < b.key ? -1 : 1;
    return a.retryAt - b.retryAt || (this.byName ? byName : a.turn - b.turn);
  }

  /** Runs in the slow lane do not count for the breaker. */
  end(now: number, row: Row, failed: boolean): void {
    if (!row.died) this.ends.push({ at: now, failed });
    this.settle(now);
  }

  /** When time moves a row on. */
  dueOf(row: Row): number {
    if (row.dying) return Number.POSITIVE_INFINITY;
    if (row.state === "dead") {
      const slow = this.rows.filter(({ died, dying, state }) => died && !dying && state !== "dead");
      const isFull = slow.length >= LEDGER_LIMITS.slowAtOnce;
      return isFull ? Number.POSITIVE_INFINITY : Math.max(row.retryAt, this.nextSlowAt);
    }
    if (row.state !== "ready") return row.due;
    return row.priority === "resync" && !row.aged
      ? row.readyAt + LEDGER_LIMITS.agingMs
      : Number.POSITIVE_INFINITY;
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

function nameOf({ what, resourceVersion }: Cause): string {
  return `${what}@${resourceVersion}`;
}

function isEcho(fences: readonly Fence[], cause: Cause | undefined): boolean {
  return cause !== undefined && fences.some(({ echo }) => echo === nameOf(cause));
}

function tenantOf(key: string): string {
  return key.includes("|") ? (key.split("|")[0] ?? "") : "";
}

function lineOf(row: Row): string {
  return `${row.aged ? "live" : row.died ? "slow" : row.priority} ${tenantOf(row.key)}`;
}

function newRow(key: string, wanted: "live" | "resync"): Row {
  return {
    key,
    state: "waiting",
    turn: 0,
    due: 0,
    priority: wanted,
    failures: 0,
    retries: 0,
    causes: [],
    events: [],
    startedAt: 0,
    owner: "",
    readyAt: 0,
    deadSince: 0,
    retryAt: 0,
    aged: false,
    died: false,
    dying: false,
  };
}
