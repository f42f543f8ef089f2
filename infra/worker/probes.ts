import type { ServerResponse } from "node:http";
import { createServer } from "../platform/node-http.ts";
import { LIMITS, type Listener, type ListenerOptions, startListener } from "./http-listener.ts";

export interface ProbesOptions extends Omit<ListenerOptions, "serves"> {
  /** False also when it rejects. */
  readonly isReady: () => boolean | Promise<boolean>;
}

/**
 * Serves `/livez` (the process answers; no other server is asked) and `/readyz` (200 or 503) over http. Kubelets cannot
 * authenticate, so the answers give no reasons. Throws when the port is taken.
 */
export function startProbes({ isReady, ...options }: ProbesOptions): Promise<Listener> {
  const readiness = async () => isReady();
  const server = createServer(LIMITS, (message, response) => {
    message.resume();
    if (message.method !== "GET" && message.method !== "HEAD") return send(response, 405);
    const [path] = message.url?.split("?", 1) ?? [];
    if (path === "/livez") return send(response, 200);
    if (path !== "/readyz") return send(response, 404);
    void readiness()
      .catch(() => false)
      .then((ready) => send(response, ready ? 200 : 503));
  });
  return startListener(server, { ...options, serves: "/livez and /readyz" });
}

const TEXTS: { readonly [code: number]: string } = { 200: "ok\n", 404: "not found\n", 405: "only GET\n" };

function send(response: ServerResponse, code: number): void {
  response.writeHead(code, { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" });
  response.end(TEXTS[code] ?? "not ready\n");
}
