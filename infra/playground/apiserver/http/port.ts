import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";
import { createServer } from "../../../platform/node-http.ts";
import type { Credentials } from "../../../platform/pki/pki.ts";
import { badRequest } from "../errors/status-error.ts";
import type { Exchange, Serve } from "../request/request.ts";
import { HttpExchange, resetConnection } from "./http.ts";

/** An open port, and who is connected to it. */
export interface Port {
  readonly number: number;
  /** Resets every connection but that of `keep`; new ones are welcome. */
  breakConnections(keep?: Exchange): void;
  /** New connections see another certificate; of a port without TLS an error. */
  present(identity: TlsIdentity): void;
  /** May be called twice. */
  close(): Promise<void>;
}

/** Longer than clients keep idle connections, so that they close them and no request is lost in between. */
const KEEP_ALIVE_MS = 2 * 60_000;

export interface PortOptions {
  /** The port; 0 = any free one. */
  readonly port: number;
  /** The host; `undefined`: all addresses of this machine. */
  readonly host: string | undefined;
  /** HTTPS when present; an empty one shows nothing, so that every connection fails until `present`. */
  readonly identity: Partial<TlsIdentity> | undefined;
}

/** Certificate and key of a server, and the authority whose client certificates it trusts. */
export interface TlsIdentity extends Credentials {
  readonly clientAuthority?: string | undefined;
}

/** Throws when the port is taken. */
export async function openPort(options: PortOptions, serve: Serve): Promise<Port> {
  const { port, host, identity } = options;
  const onRequest = (message: IncomingMessage, response: ServerResponse): void => {
    if (hasSeveralHosts(message)) refuse(response, ": too many Host headers");
    else if (isMalformed(message.url ?? "")) refuse(response);
    else serve(new HttpExchange(message, response));
  };
  const secure =
    identity &&
    createSecureServer(
      { ...secureContext(identity), requestCert: true, rejectUnauthorized: false },
      onRequest,
    );
  const http = secure ?? createServer(onRequest);
  http.on("clientError", (_, socket) => {
    if (socket.writable)
      socket.end(
        `HTTP/1.1 ${BAD_REQUEST}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${BAD_REQUEST}`,
      );
  });
  // Watches last for up to an hour; nothing else may cut them.
  http.requestTimeout = 0;
  http.keepAliveTimeout = KEEP_ALIVE_MS;
  const sockets = new Set<Socket>();
  http.on(secure ? "secureConnection" : "connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  return {
    number: await bind(http, port, host),
    breakConnections: (keep) => {
      const kept = keep instanceof HttpExchange ? keep.socket : undefined;
      for (const socket of sockets) if (socket !== kept) resetConnection(socket);
    },
    present: (next) => {
      if (secure === undefined) throw badRequest("this server has no TLS, and so no certificate");
      secure.setSecureContext(secureContext(next));
    },
    close: () => close(http),
  };
}

/** Returns TLS options. Without an authority no client certificate is trusted, not even as Node.js does by default. */
function secureContext({ key, cert, clientAuthority }: Partial<TlsIdentity>): SecureContextOptions {
  return {
    ca: clientAuthority ?? [],
    ...(key === undefined ? {} : { key }),
    ...(cert === undefined ? {} : { cert }),
  };
}

/** Only the first would be checked, and something in between may have believed another one (RFC 9112, 3.2). */
function hasSeveralHosts({ headersDistinct }: IncomingMessage): boolean {
  return (headersDistinct["host"]?.length ?? 0) > 1;
}

/** The answer that the HTTP library of the real server gives. */
const BAD_REQUEST = "400 Bad Request";

function refuse(response: ServerResponse, why = ""): void {
  response.writeHead(400, { "Content-Type": "text/plain; charset=utf-8", Connection: "close" });
  response.end(`${BAD_REQUEST}${why}`);
}

/** A path, not what follows it, with a `%` that no two hexadecimal digits follow. */
function isMalformed(url: string): boolean {
  return /^[^?]*%(?![0-9A-Fa-f]{2})/.test(url);
}

function bind(http: Server | SecureServer, port: number, host: string | undefined): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  http.once("error", reject);
  http.listen(port, host, () => {
    http.off("error", reject);
    resolve((http.address() as AddressInfo).port);
  });
  return promise;
}

function close(http: Server | SecureServer): Promise<void> {
  if (!http.listening) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  http.close(() => resolve());
  http.closeAllConnections();
  return promise;
}
