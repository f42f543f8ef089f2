import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { ErrorBody } from "../../infra/console/api/page.ts";
import type { ReadPage } from "../../infra/console/console-options.ts";
import { HEADERS } from "../../infra/console/message.ts";
import { openPage } from "../../infra/console/open-page.ts";
import { NOW, type Scene, type SceneAnswer, type Sent, type Stage } from "./scene.ts";

type Answers = Scene["answers"];

/** Serves the page with answers that a test sets, in the forms of the real API. */
export interface SceneServer extends Stage, AsyncDisposable {
  readonly origin: string;
  /** Sets the answers, and cuts all streams. */
  play(scene: Pick<Scene, "answers" | "isCut">): void;
  /** Cuts all streams; `stays`: new ones are cut as well. */
  cut(stays: boolean): void;
  /** Ends all streams as when the session is over, with these answers from now on. */
  endSession(next: Answers): void;
  /** Answers so to a page that sends this token or session; to others as before. */
  letIn(identity: string, next: Answers): void;
  /** Paths of the API that were asked for. */
  readonly asked: readonly string[];
  /** Actions since the last scene began. */
  sent(): readonly Sent[];
}

export interface SceneServerOptions {
  readonly page?: ReadPage;
  /** Default: those of the product. */
  readonly headers?: { readonly [name: string]: string };
}

export async function startSceneServer({
  page = openPage(),
  headers = HEADERS,
}: SceneServerOptions = {}): Promise<SceneServer> {
  let answers: Answers = {};
  let admitted: { readonly identity: string; readonly answers: Answers } | undefined;
  let isCut = false;
  const streams = new Map<ServerResponse, URLSearchParams>();
  const asked: string[] = [];
  let sent: Sent[] = [];

  const cut = (stays: boolean): void => {
    isCut = stays;
    for (const stream of streams.keys()) stream.destroy();
    streams.clear();
  };

  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(message.url ?? "/", "http://console");
    if (!url.pathname.startsWith("/api/")) return sendFile(url, response);
    const topic = url.pathname.slice("/api/v1/".length) + url.search;
    asked.push(topic);
    if (url.pathname === "/api/v1/stream") return stream(url, message, response);
    if (message.method === "POST") {
      sent.push({ path: topic, body: await json(message) });
      return sendAnswer(message, response, `POST ${topic}`);
    }
    sendAnswer(message, response, topic);
  };

  const sendFile = async (url: URL, response: ServerResponse): Promise<void> => {
    const file = await page(url.pathname);
    if (file === undefined) return send(response, 404, "not there");
    response.writeHead(200, { ...headers, "Content-Type": file.contentType });
    response.end(file.body);
  };

  const answersFor = ({ headers }: IncomingMessage): Answers => {
    const identity = headers["capstan-session"] ?? headers.authorization?.replace(/^Bearer /, "");
    return admitted !== undefined && admitted.identity === identity ? admitted.answers : answers;
  };

  const sendAnswer = (message: IncomingMessage, response: ServerResponse, topic: string) => {
    const theirs = answersFor(message);
    const name = nameOf(topic, theirs);
    const body = name in theirs ? theirs[name] : { error: missing(name) };
    if (body === undefined) return; // Never answered.
    if ("error" in body) return send(response, (body.error as ErrorBody).status, JSON.stringify(body.error));
    const etag = etagOf(body);
    if (message.headers["if-none-match"] === etag) return send(response, 304, "");
    response.setHeader("ETag", etag);
    send(response, 200, JSON.stringify({ asOf: NOW, ...body }));
  };

  const nameOf = (topic: string, theirs: Answers): string =>
    topic in theirs ? topic : (topic.split("?")[0] ?? "");

  const send = (response: ServerResponse, status: number, body: string): void => {
    response.writeHead(status, { ...headers, "Content-Type": "application/json" });
    response.end(body);
  };

  const stream = (url: URL, message: IncomingMessage, response: ServerResponse): void => {
    if (isCut) return void response.destroy();
    response.writeHead(200, { ...headers, "Content-Type": "text/event-stream" });
    response.write(`data: ${JSON.stringify({ type: "ping", now: NOW })}\n\n`);
    const seen = url.searchParams.getAll("seen");
    const theirs = answersFor(message);
    for (const [at, topic] of url.searchParams.getAll("topic").entries()) {
      const body = theirs[nameOf(topic, theirs)];
      if (body !== undefined && etagOf(body) !== seen[at]) response.write(eventOf(topic, body));
    }
    streams.set(response, url.searchParams);
    response.on("close", () => streams.delete(response));
  };

  const server = createServer((message, response) => void answer(message, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    sent: () => sent,
    cut,
    play(scene) {
      cut(scene.isCut === true);
      answers = scene.answers;
      admitted = undefined;
      sent = [];
    },
    endSession(next) {
      answers = next;
      const { error } = next["me"] as { readonly error: ErrorBody };
      for (const stream of streams.keys()) stream.end(`data: ${JSON.stringify({ type: "end", error })}\n\n`);
    },
    letIn(identity, next) {
      admitted = { identity, answers: next };
    },
    change(topic, body) {
      answers = { ...answers, [topic]: body };
      for (const [response, query] of streams) {
        for (const each of query
          .getAll("topic")
          .filter((one) => one === topic || one.split("?")[0] === topic)) {
          response.write(eventOf(each, body));
        }
      }
    },
    async [Symbol.asyncDispose]() {
      cut(true);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function eventOf(topic: string, body: SceneAnswer): string {
  const message =
    "error" in body
      ? { type: "error", topic, error: body.error }
      : { type: "state", topic, etag: etagOf(body), body: { asOf: NOW, ...body } };
  return `data: ${JSON.stringify(message)}\n\n`;
}

function etagOf(body: object): string {
  return `"${createHash("sha256").update(JSON.stringify(body)).digest("base64url").slice(0, 22)}"`;
}

function missing(path: string): ErrorBody {
  return {
    status: 404,
    reason: "NotFound",
    message: `${path} is not there`,
    next: "look for it with the search; it may have been deleted",
  };
}
