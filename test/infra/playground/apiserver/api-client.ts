import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { createInterface } from "node:readline";
import {
  type ApiServer,
  type ApiServerOptions,
  startApiServer,
} from "../../../../infra/playground/apiserver/server.ts";
import { WIDGETS } from "./widgets.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers are whatever the server says; expectations check them
export type Body = any;

export interface Reply {
  readonly code: number;
  readonly body: Body;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

interface CallOptions {
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: Body;
}

/** An open watch; events arrive in order. */
interface Watch extends AsyncDisposable {
  /** The next event; undefined when the server ended the stream. */
  next(): Promise<WatchEvent | undefined>;
  take(count: number): Promise<WatchEvent[]>;
}

/** Plain HTTP requests to one API server, without any client library between. */
export interface ApiClient {
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  watch(path: string, accept?: string): Promise<Watch>;
}

export interface TestApiServer extends ApiClient, AsyncDisposable {
  readonly server: ApiServer;
}

export const MERGE = "application/merge-patch+json";
export const JSON_PATCH = "application/json-patch+json";
export const STRATEGIC = "application/strategic-merge-patch+json";
export const APPLY = "application/apply-patch+yaml";

export const WIDGETS_PATH = "/apis/test.capstan.dev/v1/namespaces/default/widgets";
export const CRDS_PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** A server with the Widget kind, unless `withWidgets` says otherwise. */
export async function startTestServer(
  options: Partial<ApiServerOptions> & { readonly withWidgets?: boolean } = {},
): Promise<TestApiServer> {
  const { withWidgets = true, ...rest } = options;
  const server = await startApiServer({ name: "test", ...rest });
  const client = clientFor(server.url, server.token);
  if (withWidgets) await client.call("POST", CRDS_PATH, { body: WIDGETS });
  return { server, ...client, [Symbol.asyncDispose]: () => server.stop() };
}

export function clientFor(url: string, token: string): ApiClient {
  const send = (method: string, path: string, options: CallOptions): Promise<IncomingMessage> => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { body, type = "application/json", accept = "application/json", headers } = options;
    const bytes = toBytes(body);
    const start = url.startsWith("https:") ? httpsRequest : httpRequest;
    const all = {
      authorization: `Bearer ${token}`,
      accept,
      "user-agent": "tester/1.0",
      ...(bytes ? { "content-type": type, "content-length": bytes.length } : {}),
      ...headers,
    };
    const sent = start(url + path, { method, headers: all, rejectUnauthorized: false }, resolve);
    sent.on("error", reject);
    sent.end(bytes);
    return promise;
  };
  return {
    async call(method, path, options = {}) {
      const answer = await send(method, path, options);
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part);
      const text = Buffer.concat(parts).toString("utf8");
      return { code: answer.statusCode ?? 0, body: parsed(text), text, headers: answer.headers };
    },
    async watch(path, accept = "application/json") {
      const answer = await send("GET", path, { accept });
      if (answer.statusCode !== 200) throw new Error(`watch answered ${answer.statusCode}`);
      const lines = createInterface({ input: answer })[Symbol.asyncIterator]();
      const next = async (): Promise<WatchEvent | undefined> => {
        const { value, done } = await lines.next();
        return done === true ? undefined : (JSON.parse(value) as WatchEvent);
      };
      return {
        next,
        async take(count) {
          const events: WatchEvent[] = [];
          for (let event = await next(); event; event = await next()) if (events.push(event) === count) break;
          return events;
        },
        async [Symbol.asyncDispose]() {
          answer.destroy();
        },
      };
    },
  };
}

function toBytes(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function widget(name: string, spec: Body = {}, metadata: Body = {}) {
  return { apiVersion: "test.capstan.dev/v1", kind: "Widget", metadata: { name, ...metadata }, spec };
}

/** `fn-a/Apply/status {"f:status":…}` for every entry, as the vectors of the specification write them. */
export function entriesOf(object: Body): string[] {
  return (object.metadata.managedFields ?? []).map((entry: Body) => {
    const subresource = entry.subresource ? `/${entry.subresource}` : "";
    return `${entry.manager}/${entry.operation}${subresource} ${JSON.stringify(entry.fieldsV1)}`;
  });
}
