import type { BatchResultErrorEntry } from "@aws-sdk/client-sqs";
import { SECOND } from "../../../../shared/function/backoff.ts";
import type { Clock, Log } from "../../../../shared/runtime/ports.ts";
import type { Key } from "../../../../shared/runtime/queue/key.ts";
import type { Token } from "../../tokens/token-ledger.ts";
import type { SqsEndpoint } from "./sqs-endpoint.ts";
import { MissingQueueError } from "./sqs-endpoint.ts";
import type { SqsQueues } from "./sqs-queues.ts";
import { UnusableQueueError } from "./sqs-queues.ts";
import { bodyOf, groupOf } from "./sqs-token.ts";

/** Limit of SendMessageBatch. */
const BATCH = 10;
const BATCHES_AT_ONCE = 8;
const SEND_LIMIT_MS = 5 * SECOND;
const RETRY_MS = SECOND;
/** Further tokens are dropped: the ledger sends them again. */
const MAX_UNSENT = 10_000;

export interface SqsSenderOptions {
  readonly functionName: string;
  readonly endpoint: SqsEndpoint;
  readonly queues: SqsQueues;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Sends tokens in batches, live and resync to their own queues. Tokens that SQS did not take are retried every second:
 * the ledger sends them again later and later.
 */
export class SqsSender {
  readonly #options: SqsSenderOptions;
  readonly #unsent = new Map<Key, Token>();
  /** First no token is kept for later; then no call is waited for. */
  readonly #closing = new AbortController();
  readonly #closed = new AbortController();
  #cancelRetry: (() => void) | undefined;
  readonly #underWay = new Set<Promise<unknown>>();
  #isLogged = false;

  constructor(options: SqsSenderOptions) {
    this.#options = options;
  }

  /** Sends tokens. Never throws, and does not wait while SQS is away. */
  async send(tokens: readonly Token[]): Promise<void> {
    if (!this.#options.endpoint.reachable && this.#unsent.size > 0) this.#keep(tokens);
    else await this.#attempt(tokens);
  }

  /** Waits for sends under way while SQS answers; does not wait while SQS is away. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelRetry?.();
    const unsent = [...this.#unsent.values()];
    this.#unsent.clear();
    if (this.#options.endpoint.reachable) await Promise.all([...this.#underWay, this.#attempt(unsent)]);
    this.#closed.abort();
  }

  async #attempt(tokens: readonly Token[]): Promise<void> {
    const batches = (["live", "resync"] as const).flatMap((priority) =>
      inBatches(tokens.filter((token) => token.priority === priority)),
    );
    const next = batches[Symbol.iterator]();
    let usable = true;
    const lane = async (): Promise<void> => {
      for (const batch of next) {
        if (usable) usable = await this.#sendBatch(batch);
        else this.#keep(batch);
      }
    };
    const lanes = Array.from({ length: Math.min(BATCHES_AT_ONCE, batches.length) }, lane);
    const sent = Promise.all(lanes).finally(() => this.#underWay.delete(sent));
    this.#underWay.add(sent);
    await sent;
  }

  /** Sends a batch. Returns false when the next batch would fail now, too. */
  async #sendBatch(batch: readonly Token[]): Promise<boolean> {
    const { endpoint, queues } = this.#options;
    const [first] = batch;
    if (first === undefined) return true;
    try {
      const QueueUrl = await queues.urlOf(first.priority);
      const Entries = batch.map(({ key, seq }, index) => ({
        Id: String(index),
        MessageBody: bodyOf({ key, seq }),
        MessageGroupId: groupOf(key),
      }));
      const { Failed = [] } = await endpoint.call(
        (sqs, signal) => sqs.sendMessageBatch({ QueueUrl, Entries }, signal),
        { limitMs: SEND_LIMIT_MS, stop: this.#closed.signal },
      );
      this.#isLogged = false;
      this.#keepRefused(batch, Failed);
      return true;
    } catch (error) {
      if (error instanceof MissingQueueError) queues.forget();
      this.#logUnusable(error);
      this.#keep(batch);
      return false;
    }
  }

  #keepRefused(batch: readonly Token[], failed: readonly BatchResultErrorEntry[]): void {
    const { log, functionName } = this.#options;
    for (const { Id, SenderFault, Code } of failed) {
      const token = batch[Number(Id)];
      // SQS will never take this message; the ledger still counts its key as ready.
      if (SenderFault === true) log.error({ function: functionName, code: Code }, "SQS refused a token");
      else if (token !== undefined) this.#keep([token]);
    }
  }

  /** Logs a queue that a user has to repair, once; the endpoint logs outages. */
  #logUnusable(error: unknown): void {
    if (!(error instanceof UnusableQueueError) || this.#isLogged) return;
    this.#isLogged = true;
    const { log, functionName } = this.#options;
    log.error({ function: functionName }, error.message);
  }

  #keep(tokens: readonly Token[]): void {
    if (this.#closing.signal.aborted) return;
    for (const token of tokens) {
      if (this.#unsent.size < MAX_UNSENT || this.#unsent.has(token.key)) this.#unsent.set(token.key, token);
    }
    this.#cancelRetry ??= this.#options.clock.after(RETRY_MS, () => void this.#retry());
  }

  async #retry(): Promise<void> {
    // One batch first: while SQS is away, a thousand of them would only wait side by side.
    const [probe, ...others] = inBatches([...this.#unsent.values()]);
    this.#cancelRetry = undefined;
    if (probe === undefined) return;
    for (const { key } of probe) this.#unsent.delete(key);
    await this.#attempt(probe);
    if (probe.some(({ key }) => this.#unsent.has(key))) return;
    const rest = others.flat().filter((token) => this.#unsent.get(token.key) === token);
    for (const { key } of rest) this.#unsent.delete(key);
    await this.#attempt(rest);
  }
}

function inBatches(tokens: readonly Token[]): readonly (readonly Token[])[] {
  return Array.from({ length: Math.ceil(tokens.length / BATCH) }, (_, n) =>
    tokens.slice(n * BATCH, (n + 1) * BATCH),
  );
}
