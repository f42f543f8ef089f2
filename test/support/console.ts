import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { startConsole } from "../../infra/console/console.ts";
import type { ConsoleData, ConsoleOptions } from "../../infra/console/console-options.ts";
import { systemRandom } from "../../infra/platform/random.ts";
import type { Reviewer } from "../../infra/worker/diagnostics/reviews.ts";
import { virtualClock } from "./clock.ts";
import { PRESSED } from "./console-client.ts";
import { recordingLog } from "./recording-log.ts";

export { PRESSED };

/** An API server that allows everything to the account of the process. */
const ALLOWING: Reviewer = { review: async () => ({ status: { allowed: true } }) };

export interface Sent {
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  /** Of JSON. */
  readonly body: { readonly [name: string]: unknown };
}

export interface TestConsoleOptions extends Partial<Omit<ConsoleOptions, "open"> & ConsoleData> {
  /** The data are open then. */
  readonly until?: Promise<void>;
}

/** A console on loopback, on test time. */
export async function serveTestConsole({
  ports = {},
  page,
  hints,
  until,
  ...options
}: TestConsoleOptions = {}) {
  const clock = virtualClock();
  const { log, lines } = recordingLog();
  const served = await startConsole({
    address: { host: "127.0.0.1", port: 0 },
    hostNames: [],
    reviewer: ALLOWING,
    person: "ann",
    namespaces: async () => [],
    open: async () => {
      await until;
      return { ports, page, hints };
    },
    functions: [],
    version: "1.2.3",
    random: systemRandom,
    clock,
    log,
    ...options,
  });
  const ask = (path: string, sent: Sent = {}) => askAt(served.port, path, sent);
  const logIn = async (): Promise<{ readonly "capstan-session": string }> => {
    const code = new URL(served.link).hash.replace("#code=", "");
    const opened = await ask("/api/v1/session", {
      method: "POST",
      headers: PRESSED,
      body: JSON.stringify({ code }),
    });
    return { "capstan-session": String(opened.body["session"]) };
  };
  const get = async (path: string) => ask(`/api/v1${path}`, { headers: await logIn() });
  const press = async (path: string, body: object = {}) => {
    const headers = { ...(await logIn()), ...PRESSED };
    return ask(`/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  };
  return {
    ...served,
    clock,
    lines,
    ask,
    logIn,
    /** Asks, as a person who has signed in, for a path below `/api/v1`. */
    get,
    /** Sends what a button of the page sends. */
    press,
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

/** Sends one request on a connection of its own; `host` among the headers replaces the own one. */
export async function openAt(port: number, path: string, { method = "GET", headers = {}, body }: Sent) {
  const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return { sent, answer };
}

async function askAt(port: number, path: string, sent: Sent): Promise<Received> {
  const { answer } = await openAt(port, path, sent);
  let text = "";
  for await (const chunk of answer) text += chunk;
  const isJson = answer.headers["content-type"]?.startsWith("application/json") === true && text !== "";
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    text,
    body: isJson ? (JSON.parse(text) as Received["body"]) : {},
  };
}
