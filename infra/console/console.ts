import type { Server } from "node:net";
import { hostInUrl } from "../../shared/api/host-in-url.ts";
import { messageOf } from "../../shared/function/errors.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import { createServer } from "../platform/node-http.ts";
import { LIMITS, startListener } from "../worker/http-listener.ts";
import { isLoopbackHost } from "../worker/loopback-address.ts";
import { createCode, type Site, siteOf } from "./access/door.ts";
import type { ConsoleOptions } from "./console-options.ts";
import type { createServerWithTls } from "./http/server-with-tls.ts";
import { HEADERS, type Listener } from "./message.ts";

export interface Console extends AsyncDisposable {
  readonly port: number;
  /** The link to open in a browser, with the code on loopback. */
  readonly link: string;
  /** The same without a proxy in front; undefined where `link` has the port of this listener. */
  readonly directLink: string | undefined;
}

/** More than the streams, so that their pages can ask. */
const MAX_CONNECTIONS = 600;

/**
 * Serves the console. On loopback over http, to persons who see the terminal; elsewhere over TLS, to persons whose token
 * the API server knows. Throws when the port is taken or a certificate cannot be used.
 */
export async function startConsole(options: ConsoleOptions): Promise<Console> {
  const { address, clock, log, random } = options;
  await using starting = new AsyncDisposableStack();
  const isLoopback = isLoopbackHost(hostInUrl(address.host));
  if (!isLoopback && options.hostNames.length === 0) {
    throw new Error("beyond loopback the console needs the name that browsers open: add --host-name NAME");
  }
  const code = isLoopback ? createCode(random, clock) : undefined;
  let site: Site = { scheme: "http", hosts: new Set() };
  const door = { code, site: () => site };
  const { listener: answering } = starting.use(
    withFirstRequest(async (opened) => {
      const { openAnswering } = await import("./answering.ts");
      return openAnswering(options, door, opened);
    }, log),
  );
  const server = isLoopback
    ? createServer(LIMITS, answering)
    : await createSecure(options, answering, starting);
  const serves = "the console";
  const listener = starting.use(
    await startListener(server, { address, serves, log, maxConnections: MAX_CONNECTIONS }),
  );
  site = siteOf(isLoopback ? "http" : "https", { ...options, port: listener.port, isLoopback });
  const [host = ""] = options.hostNames.concat(`${hostInUrl(address.host)}:${listener.port}`);
  const running = starting.move();
  return {
    port: listener.port,
    link: code === undefined ? `https://${host}/` : `http://${host}/#code=${code.text}`,
    directLink: code === undefined ? directLinkOf(host, listener.port) : undefined,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function createSecure(...args: Parameters<typeof createServerWithTls>): Promise<Server> {
  const { createServerWithTls } = await import("./http/server-with-tls.ts");
  return createServerWithTls(...args);
}

/** A name with a port says where browsers come in. */
function directLinkOf(host: string, port: number): string | undefined {
  return port === HTTPS_PORT || /:\d+$/.test(host) ? undefined : `https://${host}:${port}/`;
}
const HTTPS_PORT = 443;

/** Answers requests once it has been opened. */
interface Answering extends AsyncDisposable {
  readonly listener: Listener;
}

/**
 * Opens what answers with the first request, so that a server without a visitor costs nothing. A request waits
 * until then; when it cannot be opened it gets 503, and the next one tries again.
 */
export function withFirstRequest(
  open: (opened: AsyncDisposableStack) => Promise<Listener>,
  log: Log,
): Answering {
  const all = new AsyncDisposableStack();
  let opening: Promise<Listener> | undefined;
  const openOnce = async (): Promise<Listener> => {
    await using opened = new AsyncDisposableStack();
    const listener = await open(opened);
    all.use(opened.move());
    return listener;
  };
  return {
    listener: (message, response) => {
      // A client may leave before there is an answer.
      message.on("error", () => undefined);
      response.on("error", () => undefined);
      opening ??= openOnce();
      opening.then(
        (listener) => listener(message, response),
        (error: unknown) => {
          opening = undefined;
          log.error({ error: messageOf(error) }, "the console cannot be opened");
          response.writeHead(503, HEADERS);
          response.end();
        },
      );
    },
    async [Symbol.asyncDispose]() {
      await opening?.catch(() => undefined);
      await all.disposeAsync();
    },
  };
}
