import { randomBytes } from "node:crypto";
import { SECOND } from "../../shared/runtime/backoff.ts";
import type { Clock, Lease, Log, Outcome, QueueEntry, WorkOptions } from "../../shared/runtime/ports.ts";
import { ActiveRuns } from "./active-runs.ts";
import type { LeaseTiming } from "./run-lease.ts";
import { runLease } from "./run-lease.ts";
import type { Change, Token, TokenLedger, Transport } from "./token-ledger.ts";

const TICK_MS = 250;
/** What is due later is found by an ordinary tick of anybody. */
const ARM_BELOW_MS = SECOND;
const ENTRIES_AT_ONCE = 200;
/** Beyond the drain: to give keys back and to close connections. */
const CLOSE_MS = 3 * SECOND;

export interface TokenQueueOptions {
  readonly functionName: string;
  readonly ledger: TokenLedger;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly timing: LeaseTiming;
  readonly log: Log;
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

  constructor(options: TokenQueueOptions) {
    this.#options = options;
    this.#arm(TICK_MS);
  }

  /** Rejects when the ledger cannot be reached; then some of the entries may have been accepted. */
  async enqueue(entries: readonly QueueEntry[]): Promise<void> {
    const { ledger, functionName } = this.#options;
    const parts: Promise<Change>[] = [];
    for (let start = 0; start < entries.length; start += ENTRIES_AT_ONCE) {
      parts.push(ledger.enqueue(functionName, entries.slice(start, start + ENTRIES_AT_ONCE)));
    }
    const changes = await Promise.allSettled(parts);
    for (const change of changes) if (change.status === "fulfilled") await this.#follow(change.value);
    for (const change of changes) if (change.status === "rejected") throw change.reason;
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
    const owner = `${options.owner}/${randomBytes(6).toString("base64url")}`;
    const terms = {
      owner,
      leaseMs: timing.leaseMs,
      attempts: options.attempts,
      minIntervalMs: options.minIntervalMs,
    };
    const claim = await ledger.claim(functionName, token, terms);
    if (claim === undefined) return;
    const held = { ...claim, ...terms };
    const renew = (): Promise<boolean> => ledger.renew(functionName, held);
    const end = await runLease(claim, { clock, timing, run, renew, stop: runs.stop });
    if (end.type === "finished") await this.#follow(await ledger.finish(functionName, held, end.outcome));
    if (end.type === "stopped") await this.#follow(await ledger.release(functionName, held));
  }

  async #follow({ tokens, waitMs }: Change): Promise<void> {
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
