import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { hostInUrl } from "../../shared/api/host-in-url.ts";
import { messageOf } from "../../shared/function/errors.ts";
import {
  type KeyRuns,
  MAX_RUNS,
  type ReadHistory,
  type RunHistory,
} from "../../shared/runtime/letters/run-history.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import { parseKey } from "../../shared/runtime/queue/key.ts";
import { createServer } from "../platform/node-http.ts";
import { type HealthSources, oneLine, statusOf, unreadyReasons } from "./health.ts";
import { LIMITS, startListener } from "./http-listener.ts";
import { isLoopbackHost, type LoopbackAddress } from "./loopback-address.ts";
import type { Metrics } from "./telemetry/metrics.ts";
import type { ScaleView } from "./telemetry/scale-view.ts";

/** Parts of a process that its pages show. */
export interface PageSources {
  readonly metrics: Metrics;
  readonly health: HealthSources;
  readonly history: ReadHistory;
  /** The history of runs; absent where no run is noted. */
  readonly runs?: Pick<RunHistory, "runs"> | undefined;
  /** The view for scaling; absent in a process without a relay. */
  readonly scale?: ScaleView | undefined;
}

export interface EndpointsOptions extends PageSources {
  readonly address: LoopbackAddress;
  readonly log: Log;
}

/** A process that answers for itself over http on loopback. */
export interface Endpoints extends AsyncDisposable {
  /** `http://127.0.0.1:9090`. */
  readonly url: string;
}

export interface Answer {
  readonly code: number;
  readonly text: string;
  readonly contentType?: string;
}

const TEXT = "text/plain; charset=utf-8";

/** Serves the pages on loopback, with GET only. Throws when the port is taken. */
export async function startEndpoints(options: EndpointsOptions): Promise<Endpoints> {
  const { address, log } = options;
  const server = createServer(
    LIMITS,
    answering(log, (message) => answerTo(message, options)),
  );
  const listener = await startListener(server, { address, serves: "metrics", log });
  const url = `http://${hostInUrl(address.host)}:${listener.port}`;
  log.info({ url }, "metrics and health are served");
  return { url, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() };
}

async function answerTo(message: IncomingMessage, sources: PageSources): Promise<Answer> {
  const { host, origin } = message.headers;
  if (origin !== undefined || !isLoopbackHost(host)) {
    return { code: 403, text: "requests with an Origin or a Host that is not loopback are refused\n" };
  }
  return message.method === "GET" ? pageOf(sources, targetOf(message)) : ONLY_GET;
}

export const ONLY_GET: Answer = Object.freeze({ code: 405, text: "only GET\n" });

/** Path and query of a request, as it names them. */
export interface Target {
  readonly path: string;
  readonly query: string;
}

export function targetOf({ url = "" }: IncomingMessage): Target {
  const [path = "", query = ""] = url.split("?", 2);
  return { path, query };
}

/**
 * Returns one of the pages `/healthz` (the process answers), `/readyz` (it can do its work, else 503 with the reasons),
 * `/metrics`, `/status` (JSON), `/keys?key=KEY` (JSON, for `capstan explain`; with `&runs=20` for `capstan history`) and, beside a relay, `/scale?group=NAME` (JSON,
 * for autoscalers); 404 for any other path. Nothing changes.
 */
export async function pageOf(
  { metrics, health, history, runs, scale }: PageSources,
  { path, query }: Target,
): Promise<Answer> {
  switch (path) {
    case "/healthz":
      return { code: 200, text: "ok\n" };
    case "/readyz": {
      const reasons = await unreadyReasons(health);
      if (reasons.length === 0) return { code: 200, text: "ok\n" };
      return { code: 503, text: `not ready\n${reasons.map((reason) => `- ${reason}\n`).join("")}` };
    }
    case "/metrics":
      return { code: 200, text: await metrics.text(), contentType: metrics.contentType };
    case "/status":
      return json(await statusOf(health));
    case "/keys":
      return keyAnswer(new URLSearchParams(query), { health, history, runs });
    case "/scale":
      return scaleAnswer(new URLSearchParams(query).get("group") ?? "", scale);
    default:
      return {
        code: 404,
        text: "there are /healthz, /readyz, /metrics, /status, /keys?key=KEY and, beside a relay, /scale?group=NAME\n",
      };
  }
}

/** Returns state and last runs of a key for every function of this process. */
async function keyAnswer(
  query: URLSearchParams,
  { health, history, runs }: Pick<EndpointsOptions, "health" | "history" | "runs">,
): Promise<Answer> {
  const text = query.get("key") ?? "";
  const limit = Number(query.get("runs") ?? 0);
  const key = parseKey(text);
  if (key === undefined) {
    return {
      code: 400,
      text: "parameter key: missing or malformed; write ?key=TENANT|KIND|NAMESPACE/NAME, percent-encoded\n",
    };
  }
  if (!Number.isInteger(limit) || limit < 0 || limit > MAX_RUNS) {
    return { code: 400, text: `parameter runs: write a whole number from 0 to ${MAX_RUNS}\n` };
  }
  const known: { [functionName: string]: KeyRuns } = {};
  for (const { spec } of health.functions) {
    if (spec.reconciles.kind !== key.kind) continue;
    const last = limit === 0 ? {} : { runs: (await runs?.runs(spec.name, text, limit)) ?? [] };
    known[spec.name] = { ...(await history(spec.name, text)), ...last };
  }
  return json(known);
}

/** Returns the workers that a group or a function wants; a queue that does not answer is an error, and never 0. */
async function scaleAnswer(name: string, scale: ScaleView | undefined): Promise<Answer> {
  if (scale === undefined) {
    return { code: 404, text: "only a relay knows what the workers must do: ask one for /scale\n" };
  }
  const asked = scale.workers(name);
  if (asked === undefined) {
    const groups = scale.groups.join(", ");
    return { code: 404, text: `parameter group: write one of ${groups}, or the name of a function\n` };
  }
  try {
    return json({ group: name, workers: await asked });
  } catch (error) {
    return {
      code: 503,
      text: `not known: ${oneLine(messageOf(error))}\n`,
    };
  }
}

function json(value: object): Answer {
  return {
    code: 200,
    text: `${JSON.stringify(value, undefined, 2)}\n`,
    contentType: "application/json",
  };
}

/** Sends what `answer` returns; a defect of it is logged, and its client learns nothing of it. */
export function answering(log: Log, answer: (message: IncomingMessage) => Promise<Answer>): RequestListener {
  return (message, response) => {
    void answer(message)
      .catch((error: unknown) => {
        log.error({ path: message.url?.slice(0, 100), error: String(error) }, "bug: an endpoint failed");
        return { code: 500, text: "internal error; the log says more\n" };
      })
      .then((given) => send(response, given));
  };
}

function send(response: ServerResponse, { code, text, contentType = TEXT }: Answer): void {
  response.writeHead(code, {
    "Content-Type": contentType,
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...(code === 405 ? { Allow: "GET" } : {}),
    ...(code === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
  });
  response.end(text);
}
