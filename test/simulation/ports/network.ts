import type { ServerAccess } from "../../../infra/platform/kube/server-access.ts";
import type { HttpRequest, StreamedAnswer, Transport } from "../../../infra/platform/kube/transport.ts";
import type { Answered, Exchange, Serve } from "../../../infra/playground/apiserver/entry.ts";
import type { Network } from "../../../infra/playground/network.ts";
import type { Kernel, Process } from "../kernel/kernel.ts";
import { handshake, handshakeHeaders } from "./handshake.ts";
import { requestOperation } from "./request-operation.ts";
import { type Begun, SimulatedExchange, type WholeAnswer, type Witness } from "./simulated-exchange.ts";

/** A request that leaves its process, or the head of the answer that reaches it. */
export interface Passing {
  readonly process: Process;
  readonly server: string;
  readonly request: HttpRequest;
}

interface Arriving extends Passing {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

export interface SimulatedNetwork {
  /** The network as a process has it. */
  of(process: Process): Network;
  /** Called with every answer that a server gave, whether or not it arrives. */
  witness(observer: (seen: Witness) => void): void;
  onLeave(observer: (passing: Passing) => void): void;
  onArrive(observer: (arriving: Arriving) => void): void;
  /** Asks a server beside the scheduler: nothing of it is part of the run. Rejects when no such server exists. */
  peek(server: string, path: string, access: ServerAccess): Promise<Answered>;
  /** Names of servers, as in `127.0.0.1:<port>`. */
  readonly servers: readonly string[];
}

export function createNetwork(kernel: Kernel): SimulatedNetwork {
  const servers = new Map<string, Serve>();
  const witnesses: ((seen: Witness) => void)[] = [];
  const leaving: ((passing: Passing) => void)[] = [];
  const arriving: ((passing: Arriving) => void)[] = [];
  const wire = kernel.process("wire");
  let lastPort = 6_442;

  const of = (process: Process): Network => ({
    async listen({ port, host, identity }, serve) {
      if (port !== 0 && servers.has(`${host}:${port}`)) throw inUse(port);
      lastPort += 1;
      const number = port === 0 ? lastPort : port;
      const open = new Set<SimulatedExchange>();
      let shown = identity;
      servers.set(`${host}:${number}`, (exchange) => {
        const { certificate, refusal } = handshake(exchange.headers, shown);
        if (refusal !== undefined) return refuse(exchange, refusal);
        Object.assign(exchange, { certificate });
        if (exchange instanceof SimulatedExchange) {
          open.add(exchange);
          exchange.over = () => open.delete(exchange);
        }
        serve(exchange);
      });
      return {
        number,
        breakConnections: () => {
          for (const exchange of [...open]) exchange.reset();
        },
        present: (next) => {
          shown = next;
        },
        close: async () => {
          servers.delete(`${host}:${number}`);
          for (const exchange of [...open]) exchange.reset();
        },
      };
    },
    connect(access) {
      const base = access.server.pathname.replace(/\/$/, "");
      const server = access.server.host;
      const complete = (request: HttpRequest): HttpRequest => ({
        ...request,
        path: `${base}${request.path}`,
        headers: {
          accept: "application/json",
          ...lowerCased(request.headers),
          host: server,
          ...(access.token === undefined ? {} : { authorization: `Bearer ${access.token}` }),
          ...handshakeHeaders(access),
        },
      });
      const start = (request: HttpRequest, signal: AbortSignal): Promise<Begun> =>
        new Promise((resolve, reject) => {
          signal.throwIfAborted();
          const exchange = new SimulatedExchange(kernel, { process, server, request: complete(request) });
          exchange.witnesses = witnesses;
          exchange.resolve = (begun) => {
            const head = headOf(begun);
            for (const observer of arriving) observer({ ...exchange.carried, ...head });
            resolve(begun);
          };
          exchange.reject = reject;
          exchange.settled = onAbort(process, signal, () => exchange.leave(signal.reason));
          for (const observer of leaving) observer(exchange.carried);
          kernel.post(requestOperation(kernel, exchange, { servers, wire }));
        });
      const transport: Transport = {
        async send(request, _limitBytes, signal) {
          const begun = await start(request, signal);
          if (!("text" in begun)) throw new Error("a watch is not a whole answer");
          return begun;
        },
        async open(request, signal) {
          const begun = await start(request, signal);
          if (!("text" in begun)) {
            onAbort(process, signal, () => begun.destroy());
            return begun;
          }
          return wholeAsStream(begun);
        },
        [Symbol.dispose]: () => undefined,
      };
      return transport;
    },
  });

  return {
    of,
    witness: (observer) => void witnesses.push(observer),
    onLeave: (observer) => void leaving.push(observer),
    onArrive: (observer) => void arriving.push(observer),
    async peek(server, path, access) {
      const serve = servers.get(server);
      if (serve === undefined) throw new Error(`no server at ${server}`);
      return new Promise((resolve, reject) => {
        serve(peeking(path, { host: server, ...handshakeHeaders(access) }, resolve, reject));
      });
    },
    get servers() {
      return [...servers.keys()];
    },
  };
}

function refuse(exchange: Exchange, why: string): void {
  if (exchange instanceof SimulatedExchange) exchange.refuse(why);
  else exchange.reset();
}

/**
 * Until the process is killed: Node.js keeps a combined signal that has listeners for as long as it may abort, and that
 * of a killed process never does. Returns how to forget it.
 */
function onAbort(process: Process, signal: AbortSignal, callback: () => void): () => void {
  signal.addEventListener("abort", callback);
  const remove = (): void => signal.removeEventListener("abort", callback);
  const forget = process.onKill(remove);
  return () => {
    remove();
    forget();
  };
}

function inUse(port: number): Error {
  return Object.assign(new Error(`listen EADDRINUSE: address already in use ${port}`), {
    code: "EADDRINUSE",
  });
}

function lowerCased(headers: HttpRequest["headers"]): { [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function headOf(begun: Begun): Pick<Arriving, "status" | "retryAfter"> {
  if ("text" in begun) return begun;
  return { status: begun.statusCode ?? 0, retryAfter: undefined };
}

function wholeAsStream({ status, retryAfter, text }: WholeAnswer): StreamedAnswer {
  return {
    statusCode: status,
    headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
    destroy: () => undefined,
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(text);
    },
  };
}

function peeking(
  path: string,
  headers: Exchange["headers"],
  resolve: (answer: Answered) => void,
  reject: (error: unknown) => void,
): Exchange {
  return {
    method: "GET",
    url: path,
    headers,
    readBody: async () => Buffer.alloc(0),
    send: async (answer) => resolve(answer),
    stream: () => {
      throw new Error("a watch cannot be peeked at");
    },
    answeredWith: undefined,
    certificate: undefined,
    reset: () => reject(new Error("reset")),
  };
}
