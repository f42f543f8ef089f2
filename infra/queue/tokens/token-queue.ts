import { SECOND } from "../../../shared/function/backoff.ts";
import type { FailedRun, NoteFailure } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { Clock, Log, Random } from "../../../shared/runtime/ports.ts";
import type { Requeued, SeenDeath } from "../../../shared/runtime/queue/queue-control.ts";
import type {
  Cause,
  Lease,
  Outcome,
  QueueEntry,
  WorkOptions,
} from "../../../shared/runtime/queue/queue-port.ts";
import { batched } from "../../platform/batched.ts";
import { systemRandom } from "../../platform/random.ts";
import { ActiveRuns } from "../active-runs.ts";
import { deathReason, failedRun, forgetFailure, LEASE_EXPIRED } from "../claim.ts";
import { checkSeen, requeuedOf } from "../dead-as-seen.ts";
import { startFreshness } from "../freshness.ts";
import { type LeaseTiming, runLease } from "../run-lease.ts";
import { isMalformed, type MalformedToken, malformedKey, malformedRun } from "./malformed-token.ts";
import { Ticker } from "./ticker.ts";
import type { Change, ExpiredLease, KeyDeath, Token, TokenLedger } from "./token-ledger.ts";
import type { Transport } from "./token-transport.ts";

const TICK_MS = 250;
/** A process has the ticks of a function for so many. They end between two, so that the next one takes over without a gap. */
const HELD_TICKS = 3.5;
const ENTRIES_AT_ONCE = 200;

/**
 * How many keys a worker may run for one token before it looks at the transport again, so that a key with a token is
 * started before 4 times (keys ahead of it) + 100 others: 7 × TOKEN_WINDOW < 4 × TOKEN_WINDOW + 100.
 */
const RUNS_PER_TOKEN = 7;

export const TOKEN_WINDOW = 32;

/** Time beyond the drain to release keys and to close connections. */
const CLOSE_MS = 3 * SECOND;

export interface TokenQueueOptions {
  readonly functionName: string;
  readonly ledger: TokenLedger;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly timing: LeaseTiming;
  readonly log: Log;
  /** Called with every failure, for dead letters. */
  readonly noteFailure?: NoteFailure;
  /**
   * A worker with a slot also takes keys that wait without a token, which the ledger then need not send (its
   * `window`). Default: only the keys of tokens.
   */
  readonly anyKey?: boolean;
  /** The random numbers; default: those of this machine. */
  readonly random?: Random | undefined;
  /** Approximate time between two ticks of a function, by all processes together. Default 250 ms. */
  readonly tickMs?: number | undefined;
  /**
   * False in a process that is frozen between events: tokens of keys that its tick has moved would wait with it. Other
   * processes tick for it. Default true.
   */
  readonly ticks?: boolean | undefined;
}

/**
 * Returns the token of a single event that is due now, to be sent right behind the event instead of a round trip later.
 * Its seq is not known yet; a token without one fits any. When the event needs no token, the token is merely stale.
 */
export function tokenAhead([only, ...others]: readonly QueueEntry[]): Token | undefined {
  if (only === undefined || others.length > 0 || only.priority !== "live" || (only.delayMs ?? 0) > 0)
    return undefined;
  return { key: only.key, seq: "", priority: "live" };
}

/** Returns a run whose lease expired as a failure for the dead letters: the letter of its key may come later. */
function expiredRun(functionName: string, expired: ExpiredLease): FailedRun {
  return { ...expired, function: functionName, failure: LEASE_EXPIRED, causes: [] };
}

/** Returns the last run of a key that dies, when its worker is not there to report it. */
function runBeforeDeath(
  functionName: string,
  { key, failure, failures, ranBy: owner, startedAt }: KeyDeath,
): FailedRun {
  return { function: functionName, key, owner, startedAt, failure, failures, retries: 0, causes: [] };
}

/**
 * One function over a shared ledger and a transport: accept, send; token, claim, run,
 * finish, send, acknowledge. A token that cannot be sent is not an error: a tick of any process sends it again.
 */
export class TokenQueue implements AsyncDisposable {
  readonly #options: TokenQueueOptions;
  readonly #workers = new Set<{ readonly close: () => Promise<void> }>();
  readonly #random: Random;
  readonly #ticker: Ticker | undefined;
  readonly #name: string;
  readonly #accept: (entry: QueueEntry) => Promise<void>;
  #claims = 0;
  /** The time until when this process has the ticks of the function. */
  #ticksUntil = Number.NEGATIVE_INFINITY;
  /** The last event got a token, and no key of its tenant was in front of it. */
  #keepsUp = false;

  constructor(options: TokenQueueOptions) {
    this.#options = options;
    this.#random = options.random ?? systemRandom;
    this.#name = this.#random.id(5);
    // Storms come as many calls of one key each.
    const accept = async (entries: readonly QueueEntry[]) => {
      await this.#acceptAll(entries);
      return [];
    };
    this.#accept = batched(ENTRIES_AT_ONCE, accept, (callback) => options.clock.after(0, callback));
    const { clock, tickMs: everyMs = TICK_MS, ticks = true } = options;
    const tick = async (isDue: boolean): Promise<boolean> =>
      (isDue || (await this.#hasTicks(HELD_TICKS * everyMs))) && this.tick();
    this.#ticker = ticks ? new Ticker({ clock, everyMs, tick }) : undefined;
  }

  /** Enqueues entries. Rejects when the ledger cannot be reached; then some of the entries may have been accepted. */
  async enqueue(entries: readonly QueueEntry[]): Promise<void> {
    await Promise.all(entries.map(this.#accept));
  }

  async #acceptAll(entries: readonly QueueEntry[]): Promise<void> {
    const { ledger, transport, functionName } = this.#options;
    const ahead = transport.followsLedger === true && this.#keepsUp ? tokenAhead(entries) : undefined;
    const accepted = ledger.enqueue(functionName, entries);
    if (ahead !== undefined) void this.#send([ahead]);
    const change = await accepted;
    this.#keepsUp = change.tokens.length > 0 && change.tokens.every(({ rank = 0 }) => rank === 0);
    await this.#follow({ ...change, tokens: change.tokens.filter(({ key }) => key !== ahead?.key) });
  }

  /** Stops or resumes claims in all processes; false: it was so before. */
  async pause(paused: boolean): Promise<boolean> {
    const { ledger, functionName } = this.#options;
    const change = await ledger.pause(functionName, paused);
    await this.#follow(change);
    return change.accepted;
  }

  async requeue(seen: readonly SeenDeath[], cause: Cause): Promise<readonly Requeued[]> {
    const { ledger, functionName } = this.#options;
    checkSeen(seen);
    const change = await ledger.requeue(functionName, seen, cause);
    await this.#follow(change);
    return requeuedOf(seen, change.done, (key) => ledger.keyState(functionName, key));
  }

  async work(options: WorkOptions, run: (lease: Lease) => Promise<Outcome>): Promise<AsyncDisposable> {
    const { transport, clock, timing } = this.#options;
    const runs = new ActiveRuns();
    const handle = (arrived: Token | MalformedToken): Promise<void> =>
      runs.track(
        isMalformed(arrived) ? this.#noteMalformed(arrived) : this.#handle(arrived, { options, run, runs }),
      );
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
    this.#ticker?.[Symbol.dispose]();
    await this.#options.transport.close().catch(() => undefined);
  }

  async #handle(token: Token, { options, run, runs }: WorkerParts): Promise<void> {
    const { ledger, functionName, clock, timing } = this.#options;
    if (runs.draining) {
      // Fetched before the worker stopped: another worker must have it now, not after the resend time.
      await this.#send([token]);
      return;
    }
    const notes: Promise<void>[] = [];
    let terms = this.#termsOf(options);
    let freshness = startFreshness(clock, options.freshMs);
    let claim = await ledger.claim(functionName, token, terms);
    this.#arm(undefined);
    const malformed = malformedKey(token, claim);
    if (malformed !== undefined) notes.push(this.#noteMalformed(malformed));
    for (let count = 1; claim !== undefined; count += 1) {
      const held = { ...claim, ...terms };
      const renew = (): Promise<boolean> => ledger.renew(functionName, held);
      const { isFresh } = freshness;
      const own = { random: this.#random, run, renew, isFresh, stop: runs.stop };
      const end = await runLease(claim, { clock, timing, ...own });
      freshness[Symbol.dispose]();
      claim = undefined;
      if (end.type === "stopped") await this.#follow(await ledger.release(functionName, held));
      if (end.type !== "finished") break;
      const takesNext = terms.anyKey && count < RUNS_PER_TOKEN && !runs.draining;
      terms = this.#termsOf(options);
      freshness = startFreshness(clock, options.freshMs);
      const change = await ledger.finish(functionName, held, end.outcome, takesNext ? terms : undefined);
      claim = change.next;
      if (end.outcome.type === "error") {
        notes.push(this.#note(failedRun(functionName, held, end.outcome), change));
      }
      await this.#follow({ ...change, deaths: [] });
    }
    freshness[Symbol.dispose]();
    await Promise.all(notes);
  }

  #termsOf({ owner, attempts, minIntervalMs, ...limits }: WorkOptions) {
    this.#claims += 1;
    return {
      owner: `${owner}/${this.#name}${this.#claims.toString(36)}`,
      leaseMs: this.#options.timing.leaseMs,
      attempts,
      minIntervalMs,
      maxRunningPerTenant: limits.maxRunningPerTenant,
      namespaceRunsPerSecond: limits.namespaceRunsPerSecond,
      anyKey: this.#options.anyKey ?? false,
    };
  }

  async #note(run: FailedRun, { accepted, deaths: [death] }: Change): Promise<void> {
    const { noteFailure = forgetFailure } = this.#options;
    if (death === undefined) await noteFailure({ ...run, fenced: !accepted });
    else await this.#markDead(run, death);
  }

  /**
   * Writes the letter, then marks the key dead, so that no key is dead without a letter. When this process is killed
   * in between, or the letter cannot be stored, a tick hands the key to another process.
   */
  async #markDead(run: FailedRun, { key, owner, priority, since, failure }: KeyDeath): Promise<void> {
    const { ledger, functionName, noteFailure = forgetFailure, log } = this.#options;
    try {
      await noteFailure({ ...run, death: { reason: deathReason(failure), priority, since } });
      await this.#follow(await ledger.markDead(functionName, { key, owner }));
    } catch (error) {
      log.debug(
        { function: functionName, error: String(error) },
        "the letter of a dying key is not stored yet; a tick retries",
      );
    }
  }

  async #noteMalformed(arrived: MalformedToken): Promise<void> {
    const { functionName, noteFailure = forgetFailure, clock, log } = this.#options;
    const fields = { function: functionName, reason: "Malformed", what: arrived.malformed };
    log.warn(fields, "a message is not a token; it is dropped and recorded");
    await noteFailure(malformedRun(functionName, arrived, clock.now()));
  }

  async #follow({ tokens, waitMs, deaths, expired = [] }: Change): Promise<void> {
    const { functionName, noteFailure = forgetFailure } = this.#options;
    for (const run of expired) void noteFailure(expiredRun(functionName, run));
    for (const death of deaths) void this.#markDead(runBeforeDeath(functionName, death), death);
    this.#arm(waitMs);
    await this.#send(tokens);
  }

  #arm(waitMs: number | undefined): void {
    const { ledger, functionName } = this.#options;
    const dueMs = ledger.nextTickMs?.(functionName) ?? waitMs;
    if (dueMs !== undefined) this.#ticker?.due(dueMs);
  }

  async #send(tokens: readonly Token[]): Promise<void> {
    if (tokens.length === 0) return;
    const { transport, log, functionName } = this.#options;
    await transport.send(tokens).catch((error: unknown) => {
      log.debug(
        { function: functionName, tokens: tokens.length, error: String(error) },
        "tokens were not sent; a tick sends them again",
      );
    });
  }

  /** Where the ledger cannot say it, every process ticks. */
  async #hasTicks(forMs: number): Promise<boolean> {
    const { ledger, functionName, clock } = this.#options;
    const now = clock.now().getTime();
    // A clock that was set back must not keep the ticks.
    if (now < this.#ticksUntil && now >= this.#ticksUntil - forMs) return true;
    const isTaken = await ledger.takeTicks(functionName, forMs).catch(() => true);
    if (isTaken) this.#ticksUntil = now + forMs;
    return isTaken;
  }

  /** Moves keys whose time has come; also called every `tickMs` by one process, less often after false. Never rejects. */
  async tick(): Promise<boolean> {
    const { ledger, functionName, transport } = this.#options;
    // An unreachable ledger is logged once by the connection; the next tick retries.
    const change = await ledger.tick(functionName).catch(() => undefined);
    if (change !== undefined) await this.#follow(change);
    // A Lambda function does not tick for a key that it leaves waiting; its tokens come by SQS.
    return transport.followsLedger !== true || change?.rests !== true;
  }
}

interface WorkerParts {
  readonly options: WorkOptions;
  readonly run: (lease: Lease) => Promise<Outcome>;
  readonly runs: ActiveRuns;
}

/** Stops waiting for work that continues: without the ledger a run can be neither finished nor released. */
async function within(clock: Clock, limitMs: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancel = clock.after(limitMs, late.resolve);
  await Promise.race([work, late.promise]);
  cancel();
}
