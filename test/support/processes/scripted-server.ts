import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly body: string;
}

/** Plays one answer. */
export type Reply = (response: ServerResponse, exchange: Exchange) => void;

/** An API server that follows a script exactly (KR-24). */
export interface ScriptedServer extends AsyncDisposable {
  readonly url: URL;
  readonly requests: readonly Exchange[];
  /** Answers to lists, to watches, and so on, in this order; then the default of each. */
  readonly lists: Reply[];
  readonly watches: Reply[];
  /** Answers to watches that are to begin with everything; the default refuses them as old servers do. */
  readonly watchLists: Reply[];
  readonly others: Reply[];
  /** Breaks every connection that is open now. */
  breakConnections(): void;
}

const COLLECTION = /^\/(api|apis\/[^/]+)\/[^/]+(\/namespaces\/[^/]+)?\/[^/]+$/;

export async function startScriptedServer(): Promise<ScriptedServer> {
  const requests: Exchange[] = [];
  const lists: Reply[] = [];
  const watches: Reply[] = [];
  const watchLists: Reply[] = [];
  const others: Reply[] = [];
  const server = createServer((request, response) => {
    void read(request).then((exchange) => {
      requests.push(exchange);
      const [script, fallback] = scriptFor(exchange);
      (script.shift() ?? fallback)(response, exchange);
    });
  });
  const scriptFor = ({ method, path, query }: Exchange): [Reply[], Reply] => {
    if (query.has("sendInitialEvents")) return [watchLists, refusingWatchList];
    if (query.get("watch") === "true") return [watches, holding()];
    return method === "GET" && COLLECTION.test(path)
      ? [lists, listing([])]
      : [others, json(200, { kind: "Status", status: "Success" })];
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    requests,
    lists,
    watches,
    watchLists,
    others,
    breakConnections: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(status: number, body: object, headers: { readonly [name: string]: string } = {}): Reply {
  return (response) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}

export function text(
  status: number,
  body: string | Buffer,
  headers: { readonly [name: string]: string } = {},
): Reply {
  return (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** A Kubernetes Status. */
export function failing(
  code: number,
  reason: string,
  more: object = {},
  headers: { readonly [name: string]: string } = {},
): Reply {
  return json(
    code,
    { kind: "Status", status: "Failure", code, reason, message: `${reason} happened`, ...more },
    headers,
  );
}

/** A complete list. */
export function listing(items: readonly object[], resourceVersion = "100", token?: string): Reply {
  return json(200, { kind: "List", metadata: { resourceVersion, continue: token }, items });
}

const refusingWatchList = failing(422, "Invalid", {
  details: {
    causes: [{ reason: "FieldValueForbidden", field: "sendInitialEvents", message: "the feature is off" }],
  },
});

export const reset: Reply = (response) => {
  response.socket?.resetAndDestroy();
};

/** A watch that sends these chunks as they are, then ends. */
export function streaming(...chunks: readonly (string | Buffer)[]): Reply {
  return play(chunks, (response) => response.end());
}

/** The same, but the line breaks after the last chunk. */
export function breaking(...chunks: readonly (string | Buffer)[]): Reply {
  return play(chunks, (response) => response.destroy());
}

/** The same, but the watch stays open. */
export function holding(...chunks: readonly (string | Buffer)[]): Reply {
  return play(chunks, () => undefined);
}

function play(chunks: readonly (string | Buffer)[], then: (response: ServerResponse) => void): Reply {
  return (response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.flushHeaders();
    const next = (at: number): void => {
      const chunk = chunks[at];
      if (chunk === undefined) then(response);
      else response.write(chunk, () => setImmediate(next, at + 1));
    };
    next(0);
  };
}

/** One line of a watch. */
export function event(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** The last of the initial events of a watch-list. */
export function initialEventsEnd(resourceVersion: string): string {
  const annotations = { "k8s.io/initial-events-end": "true" };
  return event("BOOKMARK", { apiVersion: "v1", kind: "Thing", metadata: { resourceVersion, annotations } });
}

export function bookmark(resourceVersion: string): string {
  return event("BOOKMARK", { apiVersion: "v1", kind: "Thing", metadata: { resourceVersion } });
}

async function read(request: IncomingMessage): Promise<Exchange> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://scripted");
  return {
    method: request.method ?? "",
    path: pathname,
    query: searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks).toString("utf8"),
  };
}
