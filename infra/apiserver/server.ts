import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { CORE_KINDS } from "./core-kinds.ts";
import { CrdLifecycle } from "./crd-lifecycle.ts";
import { retainEvents } from "./event-retention.ts";
import { GarbageCollector } from "./garbage-collector.ts";
import { listen, TOKEN_SEGMENT } from "./listener.ts";
import { createInitialNamespaces, NamespaceController } from "./namespaces.ts";
import { Registry } from "./registry.ts";
import type { VirtualServer } from "./request.ts";
import { RequestLog, type RequestRecord } from "./request-log.ts";
import { Storage } from "./storage.ts";

export interface ApiServerOptions {
  readonly name: string;
  /** 0 = free port, the default. */
  readonly port?: number;
  readonly host?: "127.0.0.1";
  /** Bearer token; random when absent. */
  readonly token?: string;
  /** Default 60,000. */
  readonly bookmarkIntervalMs?: number;
  /** Default true; a real server without controller manager has none. */
  readonly garbageCollector?: boolean;
  /** Default false: `requests` stays empty. */
  readonly recordRequests?: boolean;
}

export interface ApiServer extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
  /** `http://127.0.0.1:<port>`; requests carry `Authorization: Bearer <token>`. */
  readonly url: string;
  readonly token: string;
  /** The last requests, oldest first, up to 20,000; only with `recordRequests`. */
  readonly requests: readonly RequestRecord[];
  /** YAML text; cluster, user and context are named after the server. Contains the token: write it with mode 0600. */
  kubeconfig(): string;
  /** Cuts watch history so that older versions answer 410. */
  compact(): void;
  stop(): Promise<void>;
}

const BOOKMARK_INTERVAL_MS = 60_000;

/** Starts a Kubernetes-style API server on loopback, with its own objects; ready when it resolves. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { name, port = 0, host = "127.0.0.1", token = randomUUID() } = options;
  const stopping = new AbortController();
  const server: VirtualServer = {
    name,
    storage: new Storage(),
    registry: new Registry(CORE_KINDS),
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? BOOKMARK_INTERVAL_MS,
    stopped: stopping.signal,
  };
  const controllers = [
    new CrdLifecycle(server),
    new NamespaceController(server),
    retainEvents(server),
    ...(options.garbageCollector === false ? [] : [new GarbageCollector(server)]),
  ];
  createInitialNamespaces(server);
  const log = new RequestLog();
  const listener = { server, token, log: options.recordRequests ? log : undefined };
  const http = createServer((message, response) => void listen(listener, message, response));
  // Watches last for up to an hour; nothing else may cut them.
  http.requestTimeout = 0;
  // Longer than clients keep idle connections, so that they close them and no request is lost in between.
  http.keepAliveTimeout = 2 * 60_000;
  const actualPort = await bind(http, port, host);
  const url = `http://${host}:${actualPort}`;
  const stop = async (): Promise<void> => {
    stopping.abort();
    for (const controller of controllers) controller.stop();
    await close(http);
  };
  return {
    name,
    port: actualPort,
    url,
    token,
    requests: log.records,
    kubeconfig: () => kubeconfigText(name, `${url}/${TOKEN_SEGMENT}/${token}`, token),
    compact: () => server.storage.compact(),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function bind(http: Server, port: number, host: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  http.once("error", reject);
  http.listen(port, host, () => {
    http.off("error", reject);
    resolve((http.address() as AddressInfo).port);
  });
  return promise;
}

function close(http: Server): Promise<void> {
  if (!http.listening) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  http.close(() => resolve());
  http.closeAllConnections();
  return promise;
}

function kubeconfigText(name: string, server: string, token: string): string {
  const quoted = JSON.stringify(name);
  return `apiVersion: v1
kind: Config
clusters:
  - name: ${quoted}
    cluster:
      server: ${server}
users:
  - name: ${quoted}
    user:
      token: ${JSON.stringify(token)}
contexts:
  - name: ${quoted}
    context:
      cluster: ${quoted}
      user: ${quoted}
current-context: ${quoted}
`;
}
