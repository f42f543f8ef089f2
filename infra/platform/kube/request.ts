import { MINUTE } from "../../../shared/function/backoff.ts";
import { deadWebhook, reviveText } from "../../../shared/function/dead-webhook.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import { type Credentials, type CredentialsOptions, createCredentials } from "./credentials.ts";
import { errorOf, noAnswer, type RequestSubject, STORAGE_INITIALIZING, undecodable } from "./errors.ts";
import { createRateLimit, type RequestRate } from "./rate-limit.ts";
import type { ServerAccess } from "./server-access.ts";
import {
  AnswerTooLarge,
  type HttpAnswer,
  type HttpRequest,
  readBody,
  type StreamedAnswer,
} from "./transport.ts";

export interface RequesterOptions extends CredentialsOptions {
  readonly rate: RequestRate;
  readonly log?: Log | undefined;
  /** Called after every attempt, for metrics. Must not throw. */
  readonly noteRequest?: ((request: SentRequest) => void) | undefined;
}

export interface SentRequest {
  readonly method: string;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  /** The time until the end of the answer; absent for a watch, which lasts. */
  readonly seconds?: number;
}

interface Call extends HttpRequest {
  readonly subject: RequestSubject;
  /** Called before every attempt, when its turn has come; its errors are passed on. */
  readonly mayGo?: (() => void) | undefined;
  readonly timeoutMs: number;
  /** Ends the request, also between its attempts. */
  readonly signal?: AbortSignal | undefined;
  readonly limitBytes: number;
}

/**
 * Sends requests with credentials, turns, deadlines and the repetitions that are safe. Throws KubeError and errors of
 * `mayGo`.
 */
export interface Requester extends Disposable {
  /** Returns the text of an answer below 300. */
  send(call: Call): Promise<string>;
  /** Returns the body of a 200, on its own socket. */
  open(call: Call, signal: AbortSignal): Promise<StreamedAnswer>;
  /** Answers so far, by status; 0 counts requests without an answer. */
  readonly answers: ReadonlyMap<number, number>;
}

const DEFAULT_PAUSE_MS = 1_000;
/** A request that waits must not outlive its deadline by more than this. */
const MAX_PAUSE_MS = 5_000;
const ERROR_LIMIT_BYTES = 1024 * 1024;
/** Reading again or applying the same intent again does no harm (KC-07). */
const repeatable: ReadonlySet<RequestSubject["verb"]> = new Set(["get", "list", "watch", "apply", "probe"]);

interface Repetitions {
  reloaded: boolean;
  repeated: boolean;
  last: KubeError | undefined;
}

const REPORTED_MS = 10 * MINUTE;
/** A server that is foreign may name any. */
const MAX_REPORTED = 100;

export function createRequester(access: ServerAccess, options: RequesterOptions): Requester {
  const { clock } = options;
  const limit = createRateLimit(clock, options.rate);
  const credentials = createCredentials(access, options);
  const answers = new Map<number, number>();
  const count = countIn(answers, options.noteRequest);
  const follow = followAdvice(limit, access, options);

  const attempt = async (call: Call, deadlineAt: number): Promise<HttpAnswer> => {
    const deadline = deadlineOf(clock, deadlineAt - clock.now().getTime(), call);
    const startedMs = performance.now();
    const end = (status: number) =>
      count({ method: call.method, status, seconds: (performance.now() - startedMs) / 1_000 });
    try {
      const transport = await credentials.transport();
      const answer = await transport.send(call, call.limitBytes, deadline.signal);
      end(answer.status);
      return answer;
    } catch (error) {
      end(0);
      if (error instanceof AnswerTooLarge) throw undecodable(call.subject, error.message, "TooLarge");
      throw noAnswer(deadline.signal.aborted ? deadline.signal.reason : error, call.subject, "no answer");
    } finally {
      deadline.cancel();
    }
  };

  /** Returns undefined when the call may be repeated; `state.last` then holds the failure. */
  const settle = async (
    call: Call,
    deadlineAt: number,
    state: Repetitions,
  ): Promise<HttpAnswer | undefined> => {
    try {
      const answer = await attempt(call, deadlineAt);
      if (answer.status < 300) return answer;
      throw errorOf(answer, call.subject);
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      follow(error);
      const late = clock.now().getTime() >= deadlineAt || call.signal?.aborted === true;
      if (late || !(await mayRepeat(error, call, state, { credentials, clock }))) throw error;
      state.last = error;
      return undefined;
    }
  };

  return {
    answers,
    async send(call) {
      const deadlineAt = clock.now().getTime() + call.timeoutMs;
      const state: Repetitions = { reloaded: false, repeated: false, last: undefined };
      while (await limit.turn(deadlineAt)) {
        call.mayGo?.();
        const answer = await settle(call, deadlineAt, state);
        if (answer !== undefined) return answer.text;
      }
      throw state.last ?? noTurn(call);
    },
    async open(call, signal) {
      const once = async () => {
        const answer = await openOnce(call, signal, credentials, clock);
        count({ method: call.method, status: answer.statusCode ?? 0 });
        return answer;
      };
      let answer = await once();
      if (answer.statusCode === 401 && (await credentials.reload())) {
        answer.destroy();
        answer = await once();
      }
      if (answer.statusCode === 200) return answer;
      const refusal = await refusalOf(answer, call, clock);
      follow(refusal);
      throw refusal;
    },
    [Symbol.dispose]: () => credentials[Symbol.dispose](),
  };
}

/**
 * Pauses all requests to a server that asks one of them to wait (KC-09), unless only the type is new. Says once in a while
 * which webhook the server cannot call: it may refuse thousands of requests.
 */
function followAdvice(
  limit: ReturnType<typeof createRateLimit>,
  { server }: ServerAccess,
  { clock, log }: Pick<RequesterOptions, "clock" | "log">,
): (error: KubeError) => void {
  const reported = new Map<string, number>();
  return (error) => {
    const { status, message } = error;
    if (error.class === "Throttled" && error.reason !== STORAGE_INITIALIZING) {
      limit.pause(error.retryAfterMs ?? DEFAULT_PAUSE_MS);
      log?.warn({ server: server.host, status }, "the API server asks to wait");
    }
    const webhook = status >= 500 ? deadWebhook(message) : undefined;
    const now = clock.now().getTime();
    if (webhook === undefined || now - (reported.get(webhook) ?? Number.NEGATIVE_INFINITY) < REPORTED_MS)
      return;
    if (reported.size >= MAX_REPORTED) reported.clear();
    reported.set(webhook, now);
    log?.error({ server: server.host }, reviveText(webhook));
  };
}

function countIn(answers: Map<number, number>, noteRequest: RequesterOptions["noteRequest"]) {
  return (request: SentRequest): void => {
    answers.set(request.status, (answers.get(request.status) ?? 0) + 1);
    noteRequest?.(request);
  };
}

interface Means {
  readonly credentials: Credentials;
  readonly clock: Clock;
}

/** Resolves with true when it is time to retry, with false when a retry may do harm or cannot help. */
async function mayRepeat(
  error: KubeError,
  call: Call,
  state: Repetitions,
  { credentials, clock }: Means,
): Promise<boolean> {
  if (error.status === 401 && !state.reloaded) {
    state.reloaded = true;
    return credentials.reload();
  }
  if (error.reason === STORAGE_INITIALIZING) return pause(error, clock);
  // Its run decides what becomes of a refused eviction.
  if (error.status === 429) return call.subject.verb !== "evict";
  // Without Retry-After the write may have been done.
  if (error.status === 503) return repeatable.has(call.subject.verb) || error.retryAfterMs !== undefined;
  if (state.repeated || !repeatable.has(call.subject.verb)) return false;
  state.repeated = true;
  // Mostly an idle connection that the server closed. A second failure is left to the backoff of the caller.
  if (!isBehind(error)) return error.reason === "NoAnswer" && error.status === 0;
  return pause(error, clock);
}

async function pause({ retryAfterMs = DEFAULT_PAUSE_MS }: KubeError, clock: Clock): Promise<true> {
  await new Promise<void>((resolve) => clock.after(Math.min(retryAfterMs, MAX_PAUSE_MS), resolve));
  return true;
}

/** Returns whether the server has not reached a version that was seen elsewhere; it says when it will (KC-06). */
function isBehind({ status, causes }: KubeError): boolean {
  return status === 504 && causes.some(({ reason }) => reason === "ResourceVersionTooLarge");
}

/** Opens a stream. The deadline is for the start of the answer only; the stream itself has an idle limit. */
async function openOnce(call: Call, signal: AbortSignal, credentials: Credentials, clock: Clock) {
  const deadline = deadlineOf(clock, call.timeoutMs, { timeoutMs: call.timeoutMs });
  try {
    const transport = await credentials.transport();
    return await transport.open(call, AbortSignal.any([signal, deadline.signal]));
  } catch (error) {
    throw noAnswer(deadline.signal.aborted ? deadline.signal.reason : error, call.subject, "no answer");
  } finally {
    deadline.cancel();
  }
}

/**
 * Returns a signal that aborts when the time is over or `signal` aborts. Not AbortSignal.any: Node.js keeps its
 * signals.
 */
function deadlineOf(clock: Clock, leftMs: number, { timeoutMs, signal }: Pick<Call, "timeoutMs" | "signal">) {
  const abort = new AbortController();
  const cancelTimer = clock.after(Math.max(1, leftMs), () =>
    abort.abort(new Error(`not within ${timeoutMs} ms`)),
  );
  const end = () => abort.abort(new Error("no longer wanted"));
  if (signal?.aborted === true) end();
  signal?.addEventListener("abort", end, { once: true });
  const cancel = () => {
    cancelTimer();
    signal?.removeEventListener("abort", end);
  };
  return { signal: abort.signal, cancel };
}

function noTurn({ subject, timeoutMs }: Call): KubeError {
  return new KubeError({
    class: "Throttled",
    status: 0,
    reason: "TooManyRequests",
    message: `${subject.verb} ${subject.kind.plural}: not sent within ${timeoutMs} ms: earlier requests or a pause of the server came first`,
    retryAfterMs: DEFAULT_PAUSE_MS,
  });
}

async function refusalOf(answer: StreamedAnswer, call: Call, clock: Clock): Promise<KubeError> {
  const cancel = clock.after(call.timeoutMs, () => answer.destroy());
  const text = await readBody(answer, ERROR_LIMIT_BYTES).catch(() => "");
  cancel();
  const status = answer.statusCode ?? 0;
  return errorOf({ status, retryAfter: answer.headers["retry-after"], text }, call.subject);
}
