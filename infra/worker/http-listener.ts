import { once } from "node:events";
import type { Server, Socket } from "node:net";
import { hostInUrl } from "../../shared/api/host-in-url.ts";
import { SECOND } from "../../shared/function/backoff.ts";
import { messageOf } from "../../shared/function/errors.ts";
import type { Log } from "../../shared/runtime/ports.ts";

/** Port 0 = any free one. Without a host: every address of the machine. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

export interface ListenerOptions {
  readonly address: ListenAddress;
  /** Its pages, for messages: `/livez and /readyz`. */
  readonly serves: string;
  readonly log: Log;
  /** The most connections; default 64. */
  readonly maxConnections?: number;
}

/** A server of HTTP/1 or HTTP/2. Disposing it ends its connections, also in the middle of an answer. */
export interface Listener extends AsyncDisposable {
  readonly port: number;
}

const REQUEST_MS = 10 * SECOND;

/** Options of a server with a few clients. */
export const LIMITS = {
  maxHeaderSize: 16_384,
  requestTimeout: REQUEST_MS,
  headersTimeout: REQUEST_MS,
  /** The time between two looks for connections that have sent no request for so long. */
  connectionsCheckingInterval: 2 * SECOND,
} as const;
const MAX_CONNECTIONS = 64;

/** Listens with a server that has `LIMITS`, for a bounded number of connections. Throws when the port is taken. */
export async function startListener(
  server: Server,
  { address, serves, log, maxConnections = MAX_CONNECTIONS }: ListenerOptions,
): Promise<Listener> {
  const { host, port } = address;
  server.maxConnections = maxConnections;
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen({ host, port });
  await once(server, "listening").catch((error: unknown) => {
    const why = messageOf(error);
    throw new Error(`cannot serve ${serves} at ${hostInUrl(host)}:${port}: ${why}`);
  });
  server.on("error", (error) => log.warn({ serves, error: String(error) }, "a listener has a problem"));
  const bound = server.address();
  return {
    port: typeof bound === "object" && bound !== null ? bound.port : port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
