import type { IncomingMessage } from "node:http";
import * as z from "zod";
import { maskText } from "../../shared/redaction/redact.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import { request } from "../platform/node-http.ts";
import type { LambdaContext } from "./lambda.ts";

/** Version of the Runtime API in every path. */
const VERSION = "2018-06-01";
/** Lambda hands over 6 MB at most. */
const MAX_EVENT_BYTES = 8 * 1024 * 1024;
const MAX_MESSAGE = 2_000;

/** The handler as `createLambdaHandler` returns it. */
type Handler = (event: unknown, context: LambdaContext) => Promise<unknown>;

interface RuntimeApi {
  /**
   * Answers invocations, one at a time, until `stop` aborts. Between two of them the platform may freeze the process.
   * An event that cannot be read, or whose handler throws, is answered with an error, and the next one is taken. Throws
   * when the Runtime API itself fails: the platform then starts another process.
   */
  serve(handler: Handler, stop: AbortSignal): Promise<void>;
  /** Says why this process cannot serve, before it ends. */
  failInit(error: unknown): Promise<void>;
}

/**
 * Opens the Runtime API of AWS Lambda at `host:port`, as AWS_LAMBDA_RUNTIME_API names it. It takes the place of AWS's
 * own client, which is a native library.
 */
export function openRuntimeApi(address: string, log: Log): RuntimeApi {
  const post = async (path: string, body: object, headers: Headers = {}): Promise<void> => {
    const { status } = await call(address, { method: "POST", path, body: JSON.stringify(body), headers });
    if (status >= 300) throw new Error(`the Lambda Runtime API answered ${status} to POST ${path}`);
  };
  const fail = (path: string, error: unknown): Promise<void> => {
    const failure = failureOf(error);
    log.error({ error: failure.errorMessage }, "an invocation or the start has failed");
    return post(path, failure, { "Lambda-Runtime-Function-Error-Type": `Capstan.${failure.errorType}` });
  };
  const answer = async (invocation: Invocation, handler: Handler): Promise<void> => {
    const path = `/runtime/invocation/${encodeURIComponent(invocation.id)}`;
    let response: unknown;
    try {
      const { deadlineMs } = invocation;
      const context =
        deadlineMs === undefined ? {} : { getRemainingTimeInMillis: () => deadlineMs - Date.now() };
      response = await handler(eventOf(invocation), context);
    } catch (error) {
      return fail(`${path}/error`, error);
    }
    await post(`${path}/response`, response as object);
  };
  return {
    async serve(handler, stop) {
      while (!stop.aborted) {
        const invocation = await next(address, stop);
        if (invocation !== undefined) await answer(invocation, handler);
      }
    },
    failInit: (error) => fail("/runtime/init/error", error),
  };
}

interface Invocation {
  readonly id: string;
  /** Unix time. */
  readonly deadlineMs: number | undefined;
  /** The body; absent where it is larger than Lambda allows. */
  readonly body: string | undefined;
}

const headersSchema = z.object({
  "lambda-runtime-aws-request-id": z.string().min(1).max(256),
  "lambda-runtime-deadline-ms": z.coerce.number().optional().catch(undefined),
});

/** Waits for an invocation, however long it takes; `undefined` when `stop` ends the wait. */
async function next(address: string, stop: AbortSignal): Promise<Invocation | undefined> {
  const path = "/runtime/invocation/next";
  const answered = await call(address, { method: "GET", path, stop }).catch((error: unknown) => {
    if (stop.aborted) return undefined;
    throw error;
  });
  if (answered === undefined) return undefined;
  const headers = headersSchema.safeParse(answered.headers);
  if (answered.status !== 200 || !headers.success) {
    throw new Error(
      `the Lambda Runtime API answered ${answered.status} to GET ${path}, without an invocation`,
    );
  }
  return {
    id: headers.data["lambda-runtime-aws-request-id"],
    deadlineMs: headers.data["lambda-runtime-deadline-ms"],
    body: answered.text,
  };
}

function eventOf({ body }: Invocation): unknown {
  if (body === undefined) throw new TypeError(`the event is larger than ${MAX_EVENT_BYTES} bytes`);
  try {
    return JSON.parse(body);
  } catch {
    // The parser's message quotes the event.
    throw new TypeError("the event is not JSON; map queues of SQS to this Lambda function, and nothing else");
  }
}

/** Returns an error as the platform takes it, and writes it into logs: without secrets, and without a stack. */
function failureOf(error: unknown) {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { errorType: name, errorMessage: maskText(message).slice(0, MAX_MESSAGE), stackTrace: [] };
}

interface Headers {
  readonly [name: string]: string;
}

interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
  readonly headers?: Headers;
  readonly stop?: AbortSignal;
}

/** Has no time limit: a frozen process waits in the middle of a call. */
async function call(address: string, { method, path, body = "", headers, stop }: Call) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(`http://${address}/${VERSION}${path}`, {
      method,
      headers: { ...headers, "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) },
      ...(stop === undefined ? {} : { signal: stop }),
    });
    outgoing.once("response", resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await textOf(answer) };
}

/** Returns a body, `undefined` where it is too long. Reads it to its end in any case: the connection is used again. */
async function textOf(answer: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer) {
    bytes += part.length;
    if (bytes <= MAX_EVENT_BYTES) parts.push(part);
  }
  return bytes > MAX_EVENT_BYTES ? undefined : Buffer.concat(parts).toString();
}
