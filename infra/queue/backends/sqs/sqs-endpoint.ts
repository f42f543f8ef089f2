import { Agent } from "node:https";
import type { SQS } from "@aws-sdk/client-sqs";
import { hostInUrl } from "../../../../shared/api/host-in-url.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import type { Clock, Log } from "../../../../shared/runtime/ports.ts";
import { environmentProxy, leadThrough } from "../../../platform/kube/proxy-tunnel.ts";

/** Every function of a process holds up to two long polls; the SDK's own limit of 50 would stop the sends. */
const MAX_SOCKETS = 512;
const CONNECT_TIMEOUT_MS = 3 * SECOND;
const MISSING = new Set(["QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue"]);

export interface SqsTarget {
  readonly region: string;
  /** An endpoint other than that of AWS: an emulator, a VPC endpoint. */
  readonly endpoint?: string | undefined;
  /** The credentials; default: the chain of the AWS SDK (environment, profile, web identity, container, instance). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

interface SqsCall {
  /** The limit for the whole call, retries included. */
  readonly limitMs: number;
  /** Aborts the call without counting it as a failure. */
  readonly stop?: AbortSignal;
}

type Request<T> = (sqs: SQS, options: { readonly abortSignal: AbortSignal }) => Promise<T>;

export interface SqsEndpoint {
  /** False from a failed call to the next one that is answered. */
  readonly reachable: boolean;
  /** Throws MissingQueueError, or the error of the SDK. */
  call<T>(request: Request<T>, call: SqsCall): Promise<T>;
  close(): void;
}

/** The queue that a call names does not exist. */
export class MissingQueueError extends Error {
  override readonly name = "MissingQueueError";
}

/** Creates a client without a connection yet. Throws when the AWS SDK is not installed. */
export async function openSqs(
  target: SqsTarget,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<SqsEndpoint> {
  const client = await importSqs();
  const { region, endpoint, credentials } = target;
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
  const httpsAgent = new Agent(agent);
  leadThrough(httpsAgent, (host, port) => {
    const proxy = environmentProxy(new URL(`https://${hostInUrl(host)}:${port}`));
    return proxy && { proxy };
  });
  const sqs = new client.SQS({
    region,
    maxAttempts: 2,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, httpAgent: agent, httpsAgent },
    // An emulator's queue URLs often name a host that only it knows.
    ...(endpoint === undefined ? {} : { endpoint, useQueueUrlAsEndpoint: false }),
    ...(credentials === undefined ? {} : { credentials }),
  });
  const where = endpoint ?? `SQS in ${region}`;
  let reachable = true;
  const failed = (error: unknown): void => {
    if (reachable) log.warn({ sqs: where, error: reasonOf(error) }, "SQS cannot be used; tokens wait");
    reachable = false;
  };
  const answered = (): void => {
    if (!reachable) log.info({ sqs: where }, "SQS is back");
    reachable = true;
  };
  return {
    get reachable() {
      return reachable;
    },
    call: async (request, { limitMs, stop }) => {
      const limit = new AbortController();
      const cancel = clock.after(limitMs, () => limit.abort());
      const abortSignal = stop === undefined ? limit.signal : AbortSignal.any([limit.signal, stop]);
      try {
        const answer = await request(sqs, { abortSignal });
        answered();
        return answer;
      } catch (error) {
        const missing = error instanceof Error && MISSING.has(error.name);
        if (missing) answered();
        else if (stop?.aborted !== true) failed(error);
        throw missing ? new MissingQueueError(error.message) : error;
      } finally {
        cancel();
      }
    },
    close: () => sqs.destroy(),
  };
}

type SqsModule = typeof import("@aws-sdk/client-sqs");

/** Imports the AWS SDK. `load` is for tests. */
export async function importSqs(
  load: () => Promise<SqsModule> = () => import("@aws-sdk/client-sqs"),
): Promise<SqsModule> {
  try {
    return await load();
  } catch (cause) {
    const text = "the SQS queue needs the AWS SDK; run npm install @aws-sdk/client-sqs";
    throw new Error(text, { cause });
  }
}

/** Returns the text of an error: a refused connection to several addresses is an AggregateError without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(reasonOf).join(", ");
  if (!(error instanceof Error)) return String(error);
  return error.message === "" ? error.name : `${error.name}: ${error.message}`;
}
