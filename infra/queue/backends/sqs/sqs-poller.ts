import type { Message } from "@aws-sdk/client-sqs";
import { SECOND } from "../../../../shared/function/backoff.ts";
import type { Clock, Log } from "../../../../shared/runtime/ports.ts";
import type { Priority } from "../../../../shared/runtime/queue/queue-port.ts";
import type { MalformedToken } from "../../tokens/malformed-token.ts";
import type { Token } from "../../tokens/token-ledger.ts";
import type { HandleToken, Receiver } from "../../tokens/token-transport.ts";
import { SqsAcknowledger } from "./sqs-acknowledger.ts";
import type { SqsEndpoint } from "./sqs-endpoint.ts";
import { MissingQueueError } from "./sqs-endpoint.ts";
import type { SqsQueues } from "./sqs-queues.ts";

/** Limit of ReceiveMessage. */
const MOST_MESSAGES = 10;
/** Live polls after which resync gets a turn although live is busy. */
const LIVE_POLLS_PER_RESYNC = 9;
const REST_MS = SECOND;
/** Time for an answer beyond the wait of a long poll. */
const ANSWER_MS = 5 * SECOND;

export interface SqsPollerOptions {
  readonly endpoint: SqsEndpoint;
  readonly queues: SqsQueues;
  /** The wait of a long poll, whole seconds up to 20; 0 = short polls only. */
  readonly waitSeconds: number;
  readonly visibilitySeconds: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly functionName: string;
  readonly parse: (message: Message, priority: Priority) => Token | MalformedToken;
}

interface Side {
  readonly priority: Priority;
  polling: boolean;
  /** The last poll brought nothing. */
  empty: boolean;
}

/**
 * Receives for one worker, never more than it has free slots for. Resync is polled when live is empty, and every
 * tenth time. While both are empty, both are long-polled side by side, so that neither waits for the end of the
 * other's poll: live reserves half of the free slots for its messages, resync fetches one message at most. A message
 * whose slot is taken by then waits here. With a single slot the two take turns.
 */
export class SqsPoller implements Receiver {
  readonly #options: SqsPollerOptions;
  readonly #handle: HandleToken;
  readonly #concurrency: number;
  readonly #acknowledger: SqsAcknowledger;
  readonly #live: Side = { priority: "live", polling: false, empty: false };
  readonly #resync: Side = { priority: "resync", polling: false, empty: false };
  readonly #closed = new AbortController();
  readonly #underWay = new Set<Promise<void>>();
  /** Received, and waiting for a slot. */
  readonly #held: Received[] = [];
  #running = 0;
  #reserved = 0;
  #livePolls = 0;
  #cancelRest: (() => void) | undefined;

  constructor(options: SqsPollerOptions, handle: HandleToken, concurrency: number) {
    this.#options = options;
    this.#handle = handle;
    this.#concurrency = concurrency;
    this.#acknowledger = new SqsAcknowledger(options);
    this.#pump();
  }

  /**
   * Returns messages that were received but not handed on to SQS. A poll under way is cut off: messages in its answer
   * come back after the visibility timeout.
   */
  async close(deadlineMs: number): Promise<void> {
    this.#closed.abort();
    this.#cancelRest?.();
    for (const { message, url } of this.#held.splice(0))
      this.#track(this.#acknowledger.giveBack(url, [message]));
    const late = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(deadlineMs, late.resolve);
    const settled = async (): Promise<void> => {
      while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    };
    await Promise.race([settled(), late.promise]);
    await Promise.race([this.#acknowledger.close(), late.promise]);
    cancel();
  }

  get #free(): number {
    return this.#concurrency - this.#running - this.#reserved;
  }

  #pump(): void {
    if (this.#closed.signal.aborted) return;
    while (this.#free > 0) {
      const live = this.#held.findIndex((held) => held.priority === "live");
      const [next] = this.#held.splice(Math.max(0, live), 1);
      if (next === undefined) break;
      this.#running += 1;
      this.#track(this.#take(next));
    }
    if (this.#free < 1 || this.#held.length > 0 || this.#cancelRest !== undefined) return;
    if (this.#resyncGoesFirst()) this.#start(this.#resync, "short");
    this.#start(this.#live, this.#live.empty && (!this.#alone || this.#resync.empty) ? "long" : "short");
    if (this.#live.empty && !this.#alone) this.#start(this.#resync, this.#resync.empty ? "long" : "short");
  }

  /** There is no second slot that could be kept free for the other priority. */
  get #alone(): boolean {
    return this.#concurrency === 1;
  }

  #resyncGoesFirst(): boolean {
    if (this.#livePolls >= LIVE_POLLS_PER_RESYNC) return true;
    return this.#alone && this.#live.empty && this.#livePolls > 0;
  }

  #start(side: Side, length: "short" | "long"): void {
    const bell = side === this.#resync && length === "long";
    const ask = bell ? 1 : Math.min(MOST_MESSAGES, this.#free);
    if (side.polling || ask < 1) return;
    this.#livePolls = side === this.#live ? this.#livePolls + 1 : 0;
    side.polling = true;
    const kept = length === "long" ? Math.min(ask, Math.ceil(this.#free / 2)) : ask;
    const reserved = bell ? 0 : kept;
    this.#reserved += reserved;
    const polled = this.#receive(side, ask, length === "long" ? this.#options.waitSeconds : 0);
    this.#track(
      polled.then((received) => {
        side.polling = false;
        this.#reserved -= reserved;
        return this.#accept(side, received);
      }),
    );
  }

  async #accept(side: Side, received: readonly Received[] | undefined): Promise<void> {
    if (this.#closed.signal.aborted) {
      const [url] = (received ?? []).map((each) => each.url);
      const messages = (received ?? []).map(({ message }) => message);
      if (url !== undefined) await this.#acknowledger.giveBack(url, messages);
      return;
    }
    if (received === undefined) this.#rest();
    else {
      side.empty = received.length === 0;
      this.#held.push(...received);
    }
    this.#pump();
  }

  async #receive(side: Side, ask: number, waitSeconds: number): Promise<readonly Received[] | undefined> {
    const { endpoint, queues, visibilitySeconds } = this.#options;
    try {
      const url = await queues.urlOf(side.priority);
      const request = {
        QueueUrl: url,
        MaxNumberOfMessages: ask,
        WaitTimeSeconds: waitSeconds,
        VisibilityTimeout: visibilitySeconds,
      };
      const { Messages = [] } = await endpoint.call((sqs, signal) => sqs.receiveMessage(request, signal), {
        limitMs: waitSeconds * SECOND + ANSWER_MS,
        stop: this.#closed.signal,
      });
      return Messages.map((message) => ({ message, url, priority: side.priority }));
    } catch (error) {
      if (error instanceof MissingQueueError) queues.forget();
      return undefined;
    }
  }

  /**
   * Handles and acknowledges a message, however the run ends: retries belong to the ledger. Unreachable, the message
   * stays.
   */
  async #take({ message, url, priority }: Received): Promise<void> {
    const { parse, log, functionName } = this.#options;
    try {
      await this.#handle(parse(message, priority));
      this.#acknowledger.add(url, message);
    } catch (error) {
      log.debug(
        { function: functionName, error: String(error) },
        "the ledger did not answer; the token stays in SQS",
      );
    }
    this.#running -= 1;
    this.#pump();
  }

  #rest(): void {
    if (this.#closed.signal.aborted) return;
    this.#cancelRest ??= this.#options.clock.after(REST_MS, () => {
      this.#cancelRest = undefined;
      this.#pump();
    });
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }
}

interface Received {
  readonly message: Message;
  readonly url: string;
  readonly priority: Priority;
}
