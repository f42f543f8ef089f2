import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { SECOND } from "../../shared/function/backoff.ts";
import type { Log } from "../../shared/runtime/ports.ts";

/** Where kubelets ask. Without a host: every address of the machine. */
export interface ProbeAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** A process that answers its kubelet. */
export interface Probes extends AsyncDisposable {
  readonly port: number;
}

export interface ProbesOptions {
  readonly address: ProbeAddress;
  readonly isReady: () => boolean;
  readonly log: Log;
}

const REQUEST_MS = 10 * SECOND;

/**
 * Serves `/livez` (the process answers; no other server is asked) and `/readyz` (200 or 503) over http. Kubelets cannot
 * authenticate, so the answers give no reasons. Throws when the port is taken. Source: D-203
 */
export async function startProbes({ address, isReady, log }: ProbesOptions): Promise<Probes> {
  const { host, port } = address;
  const server = createServer({ maxHeaderSize: 8_192 }, (message, response) => {
    message.resume();
    if (message.method !== "GET" && message.method !== "HEAD") return send(response, 405);
    const [path] = message.url?.split("?", 1) ?? [];
    if (path === "/livez") return send(response, 200);
    if (path === "/readyz") return send(response, isReady() ? 200 : 503);
    send(response, 404);
  });
  server.requestTimeout = REQUEST_MS;
  server.headersTimeout = REQUEST_MS;
  server.maxConnections = 64;
  server.listen({ host, port });
  await once(server, "listening").catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot serve /livez and /readyz at ${host ?? ""}:${port}: ${why}`);
  });
  server.on("error", (error) => log.warn({ error: String(error) }, "the server of probes has a problem"));
  const bound = server.address();
  return {
    port: typeof bound === "object" && bound !== null ? bound.port : port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const TEXTS: { readonly [code: number]: string } = { 200: "ok\n", 404: "not found\n", 405: "only GET\n" };

function send(response: ServerResponse, code: number): void {
  response.writeHead(code, { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" });
  response.end(TEXTS[code] ?? "not ready\n");
}
