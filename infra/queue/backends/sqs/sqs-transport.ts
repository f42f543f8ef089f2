import type { Message } from "@aws-sdk/client-sqs";
import type { Clock, Log } from "../../../../shared/runtime/ports.ts";
import type { Priority } from "../../../../shared/runtime/queue/queue-port.ts";
import type { MalformedToken } from "../../tokens/malformed-token.ts";
import type { Token } from "../../tokens/token-ledger.ts";
import type { HandleToken, Transport } from "../../tokens/token-transport.ts";
import type { SqsEndpoint } from "./sqs-endpoint.ts";
import { SqsPoller } from "./sqs-poller.ts";
import type { SqsQueues } from "./sqs-queues.ts";
import { UnusableQueueError } from "./sqs-queues.ts";
import { SqsSender } from "./sqs-sender.ts";
import { parseBody } from "./sqs-token.ts";

export interface SqsTransportOptions {
  readonly functionName: string;
  readonly endpoint: SqsEndpoint;
  readonly queues: SqsQueues;
  readonly waitSeconds: number;
  readonly visibilitySeconds: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Carries the tokens of one function on its two standard queues. */
export function createSqsTransport(options: SqsTransportOptions): Transport {
  const { endpoint, queues } = options;
  const sender = new SqsSender(options);
  return {
    send: (tokens) => sender.send(tokens),
    receive: async (handle, concurrency) => {
      if (endpoint.reachable) await refuseMissing(queues);
      return new SqsPoller({ ...options, parse: tokenOf }, handle, concurrency);
    },
    close: () => sender.close(),
  };
}

/** A transport for tokens that a platform hands over (Lambda): its handler calls `deliver`. */
export interface PushedTransport extends Transport {
  /** Settles when the token may be acknowledged; rejects when the ledger did not answer, or without a worker. */
  deliver(message: Message, priority: Priority): Promise<void>;
}

export function createPushedSqsTransport(options: SqsTransportOptions): PushedTransport {
  const sender = new SqsSender(options);
  let handler: HandleToken | undefined;
  return {
    send: (tokens) => sender.send(tokens),
    receive: async (handle) => {
      handler = handle;
      return {
        close: async () => {
          handler = undefined;
        },
      };
    },
    deliver: async (message, priority) => {
      if (handler === undefined) throw new Error(`no worker of ${options.functionName} runs in this process`);
      await handler(tokenOf(message, priority));
    },
    close: () => sender.close(),
  };
}

/** Stops the start of a worker whose queue is missing; an endpoint that is away is waited for. */
async function refuseMissing(queues: SqsQueues): Promise<void> {
  const found = await Promise.allSettled([queues.urlOf("live"), queues.urlOf("resync")]);
  for (const result of found) {
    if (result.status === "rejected" && result.reason instanceof UnusableQueueError) throw result.reason;
  }
}

/** Reads a message. Never shows the body of one that is not a token: it belongs to another program. */
function tokenOf({ Body, MessageId }: Message, priority: Priority): Token | MalformedToken {
  const token = parseBody(Body, priority);
  if (token !== undefined) return token;
  const malformed = `SQS message ${MessageId} of ${Body?.length ?? 0} characters on ${priority} is not a token`;
  return { malformed, priority };
}
