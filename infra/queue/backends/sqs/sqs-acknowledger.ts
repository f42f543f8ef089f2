import type { Message } from "@aws-sdk/client-sqs";
import { SECOND } from "../../../../shared/function/backoff.ts";
import type { Clock, Log } from "../../../../shared/runtime/ports.ts";
import type { SqsEndpoint } from "./sqs-endpoint.ts";

/** Limit of DeleteMessageBatch and ChangeMessageVisibilityBatch. */
const BATCH = 10;
const LINGER_MS = 100;
const CALL_LIMIT_MS = 5 * SECOND;

export interface SqsAcknowledgerOptions {
  readonly endpoint: SqsEndpoint;
  readonly clock: Clock;
  readonly log: Log;
  readonly functionName: string;
}

/**
 * Deletes handled messages in batches. A message that could not be deleted arrives again and is stale then, so a delete
 * is not retried.
 */
export class SqsAcknowledger {
  readonly #options: SqsAcknowledgerOptions;
  readonly #handled = new Map<string, string[]>();
  readonly #underWay = new Set<Promise<void>>();
  #cancelLinger: (() => void) | undefined;

  constructor(options: SqsAcknowledgerOptions) {
    this.#options = options;
  }

  add(url: string, { ReceiptHandle }: Message): void {
    if (ReceiptHandle === undefined) return;
    const handles = [...(this.#handled.get(url) ?? []), ReceiptHandle];
    this.#handled.set(url, handles);
    if (handles.length >= BATCH) this.#flush();
    else this.#cancelLinger ??= this.#options.clock.after(LINGER_MS, () => this.#flush());
  }

  /** Makes messages visible again at once, for another worker. At most 10. */
  async giveBack(url: string, messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    const Entries = messages.map(({ ReceiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle,
      VisibilityTimeout: 0,
    }));
    await this.#send("given back", (sqs, signal) =>
      sqs.changeMessageVisibilityBatch({ QueueUrl: url, Entries }, signal),
    );
  }

  /** Deletes the remaining messages. */
  async close(): Promise<void> {
    this.#flush();
    await Promise.all(this.#underWay);
  }

  #flush(): void {
    this.#cancelLinger?.();
    this.#cancelLinger = undefined;
    for (const [QueueUrl, handles] of this.#handled) {
      const Entries = handles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
      const sent = this.#send("deleted", (sqs, signal) =>
        sqs.deleteMessageBatch({ QueueUrl, Entries }, signal),
      ).finally(() => this.#underWay.delete(sent));
      this.#underWay.add(sent);
    }
    this.#handled.clear();
  }

  async #send(what: string, request: Parameters<SqsEndpoint["call"]>[0]): Promise<void> {
    const { endpoint, log, functionName } = this.#options;
    await endpoint.call(request, { limitMs: CALL_LIMIT_MS }).catch((error: unknown) => {
      log.debug({ function: functionName, error: String(error) }, `messages were not ${what}`);
    });
  }
}
