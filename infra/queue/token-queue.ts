import { randomBytes } from "node:crypto";
import { SECOND } from "../../shared/runtime/backoff.ts";
import type { NoteFailure } from "../../shared/runtime/dead-letters-port.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { Lease, Outcome, QueueEntry, WorkOptions } from "../../shared/runtime/queue-port.ts";
import { ActiveRuns } from "./active-runs.ts";
import { batched } from "./batched.ts";
import { type Claim, deathReason, failedRun, forgetFailure, LEASE_EXPIRED } from "./claim.ts";
import type { LeaseTiming } from "./run-lease.ts";
import { runLease } from "./run-lease.ts";
import type { Change, Token, TokenLedger, Transport } from "./token-ledger.ts";

const TICK_MS = 250;
/** What is due later is found by an ordinary tick of anybody. */
const ARM_BELOW_MS = SECOND;
const ENTRIES_AT_ONCE = 200;
/**
 * How many keys a worker may run for one token before it looks at the transport again, so that a key with a token is
 * started before 4 times (keys ahead of it) + 100 others (F-17): 7 × TOKEN_WINDOW < 4 × TOKEN_WINDOW + 100.
 */
const RUNS_PER_TOKEN = 7;
export const TOKEN_WINDOW = 32;
/** Beyond the drain: to give keys back and to close connections. */
const CLOSE_MS = 3 * SECOND;

export interface TokenQueueOptions {
  readonly functionName: string;
  readonly ledger: TokenLedger;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly timing: LeaseTiming;
  readonly log: Log;
  /** Told about every failure, for dead letters. */
  readonly noteFailure?: NoteFailure;
  /**
   * A worker with a slot also takes keys that wait without a token, which the ledger then need not send (its
   * `window`). Default: only the keys of tokens.
   */
  readonly anyKey?: boolean;
}

/**
 * One function over a shared ledger and a transport (queue.md 3, rules 4 to 7): accept, send; token, claim, run,
 * finish, send, acknowledge. A token that cannot be sent is not an error: a tick of anybody sends it again.
 */
export class TokenQueue implements AsyncDisposable {
  readonly #options: TokenQueueOptions;
  readonly #workers = new Set<{ readonly close: () => Promise<void> }>();
  #cancelTick: (() => void) | undefined;
  #tickAt = Number.POSITIVE_INFINITY;
  #tickUnderWay: Promise<void> | undefined;
  readonly #closed = new AbortController();
  readonly #name = randomBytes(6).toString("base64url");
  readonly #accept: (entry: QueueEntry) => Promise<void>;
  #claims = 0;

  constructor(options: TokenQueueOptions) {
    this.#options = options;
    // Storms come as many calls of one key each.
    this.#accept = batched(ENTRIES_AT_ONCE, async (entries: readonly QueueEntry[]) => {
      await this.#follow(await options.ledger.enqueue(options.functionName, entries));
      return [];
    });
    this.#arm(TICK_MS);
  }

  /** Rejects when the ledger cannot be reached; then some of the entries may have been accepted. */
  async enqueue(entries: readonly QueueEntry[]): Promise<void> {
    await Promise.all(entries.map(this.#accept));
  }

  /** Stops claims everywhere, or lets them go on. */
  async pause(paused: boolean): Promise<void> {
    const { ledger, functionName } = this.#options;
    await this.#follow(await ledger.pause(functionName, paused));
  }

  async work(options: WorkOptions, run: (lease: Lease) => Promise<Outcome>): Promise<AsyncDisposable> {
    const { transport, clock, timing } = this.#options;
    const runs = new ActiveRuns();
    const handle = (token: Token): Promise<void> => runs.track(this.#handle(token, { options, run, runs }));
    const receiver = await transport.receive(handle, options.concurrency);
    const end = async (): Promise<void> => {
      const drained = runs.drain(clock, timing.drainMs);
      await Promise.all([
        receiver.close(timing.drainMs + CLOSE_MS),
        within(clock, timing.drainMs + CLOSE_MS, drained),
      ]);
      this.#workers.delete(worker);
    };
    let ended: Promise<void> | undefined;
    const close = (): Promise<void> => {
      ended ??= end();
      return ended;
    };
    const worker = { close };
    this.#workers.add(worker);
    return { [Symbol.asyncDispose]: close };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#workers].map(({ close }) => close()));
    this.#closed.abort();
    this.#cancelTick?.();
    await this.#options.transport.close().catch(() => undefined);
  }

  async #handle(token: Token, { options, run, runs }: WorkerParts): Promise<void> {
    const { ledger, functionName, clock, timing } = this.#options;
    if (runs.draining) {
      // Fetched before the worker stopped: another one shall have it now, not after the resend time.
      await this.#send([token]);
      return;
    }
    const notes: Promise<void>[] = [];
    let terms = this.#termsOf(options);
    let claim = await ledger.claim(functionName, token, terms);
    for (let count = 1; claim !== undefined; count += 1) {
      const held = { ...claim, ...terms };
      const renew = (): Promise<boolean> => ledger.renew(functionName, held);
      const end = await runLease(claim, { clock, timing, run, renew, stop: runs.stop });
      claim = undefined;
      if (end.type === "stopped") await this.#follow(await ledger.release(functionName, held));
      if (end.type !== "finished") break;
      const goesOn = terms.anyKey && count < RUNS_PER_TOKEN && !runs.draining;
      terms = this.#termsOf(options);
      const change = await ledger.finish(functionName, held, end.outcome, goesOn ? terms : undefined);
      claim = change.next;
      notes.push(this.#note(held, end.outcome, change));
      await this.#follow({ ...change, deaths: [] });
    }
    await Promise.all(notes);
  }

  #termsOf({ owner, attempts, minIntervalMs, maxRunningPerTenant }: WorkOptions) {
    this.#claims += 1;
    return {
      owner: `${owner}/${this.#name}${this.#claims.toString(36)}`,
      leaseMs: this.#options.timing.leaseMs,
      attempts,
      minIntervalMs,
      maxRunningPerTenant,
      anyKey: this.#options.anyKey ?? false,
    };
  }

  async #note(claim: Claim, outcome: Outcome, { accepted, deaths }: Change): Promise<void> {
    const { functionName, noteFailure = forgetFailure } = this.#options;
    if (outcome.type !== "error" || !accepted) return;
    const [died] = deaths;
    const reason = deathReason(outcome.failure, outcome.terminal);
    const death = died && { reason, class: died.class, since: died.since };
    await noteFailure({ ...failedRun(functionName, claim, outcome), death });
  }

  /** Nobody has finished these runs: a tick has taken their leases away. */
  async #noteExpired(deaths: Change["deaths"]): Promise<void> {
    const { functionName, noteFailure = forgetFailure } = this.#options;
    for (const { key, failures, class: wanted, since } of deaths) {
      const death = { reason: deathReason(LEASE_EXPIRED, false), class: wanted, since };
      const failure = LEASE_EXPIRED;
      await noteFailure({ function: functionName, key, failure, failures, again: 0, causes: [], death });
    }
  }

  async #follow({ tokens, waitMs, deaths }: Change): Promise<void> {
    void this.#noteExpired(deaths);
    if (waitMs !== undefined && waitMs < ARM_BELOW_MS) this.#arm(waitMs);
    await this.#send(tokens);
  }

  async #send(tokens: readonly Token[]): Promise<void> {
    if (tokens.length === 0) return;
    const { transport, log, functionName } = this.#options;
    await transport.send(tokens).catch((error: unknown) => {
      log.debug(
        { function: functionName, tokens: tokens.length, error: String(error) },
        "tokens were not sent",
      );
    });
  }

  /** Ticks in at most so long; an earlier tick stays. */
  #arm(delayMs: number): void {
    const at = this.#options.clock.now().getTime() + delayMs;
    if (this.#closed.signal.aborted || (this.#cancelTick !== undefined && this.#tickAt <= at)) return;
    this.#cancelTick?.();
    this.#tickAt = at;
    this.#cancelTick = this.#options.clock.after(delayMs, () => {
      this.#cancelTick = undefined;
      void this.#tick();
    });
  }

  async #tick(): Promise<void> {
    const { ledger, functionName } = this.#options;
    // Unreachable: said once by the connection; the next tick tries again.
    this.#tickUnderWay ??= ledger.tick(functionName).then(
      (change) => this.#follow(change),
      () => undefined,
    );
    await this.#tickUnderWay;
    this.#tickUnderWay = undefined;
    this.#arm(TICK_MS * (0.8 + 0.4 * Math.random()));
  }
}

interface WorkerParts {
  readonly options: WorkOptions;
  readonly run: (lease: Lease) => Promise<Outcome>;
  readonly runs: ActiveRuns;
}

/** Gives up waiting, not the work: without the ledger a run can be neither finished nor released. */
async function within(clock: Clock, limitMs: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancel = clock.after(limitMs, late.resolve);
  await Promise.race([work, late.promise]);
  cancel();
}
