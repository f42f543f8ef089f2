import type { HttpRequest } from "../../../infra/platform/kube/transport.ts";
import type { Answered, Serve } from "../../../infra/playground/apiserver/entry.ts";
import type { Kernel, Operation, Process } from "../kernel/kernel.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";

/** A request on its way; faults may answer in the server's stead. */
export interface RequestOperation extends Operation {
  readonly kind: "request";
  readonly server: string;
  readonly request: HttpRequest;
  /** A mutating request, dry runs aside. */
  readonly isWrite: boolean;
  /** Answers without the server. */
  answer(answer: Answered): void;
  /** The server carries it out; its answer is lost on the way and the client sees a reset. */
  loseAnswer(): void;
  /** The server carries it out, and the client hears something else. */
  replaceAnswer(answer: Answered): void;
  /** The server carries it out; `then` happens instead of the answer. */
  runThen(then: () => void): void;
  /** It takes so long to get there; `anyway`: it is carried out also when its client has hung up or died by then. */
  delay(ms: number, anyway?: boolean): void;
  /** The connection breaks before the server has heard of it. */
  reset(): void;
  /** There is no connection, for this reason. */
  refuse(why: string): void;
  /** From now on it goes to another path, with other headers. */
  readdress(path: string, headers: HttpRequest["headers"]): void;
}

export function isRequest(operation: Operation): operation is RequestOperation {
  return operation.kind === "request" && "request" in operation;
}

/** Function, verb and object, of any process and version. */
function siteOf({ method, path, headers }: HttpRequest): string {
  const functionName = String(headers["user-agent"]).split(" ").at(1);
  return `${functionName} ${method} ${path.replace(/^\/as\/[^/]+/, "").replace(/\?.*/, "")}`;
}

/** The operation that carries an exchange to its server; `wire` carries the part that continues without its client. */
export function requestOperation(
  kernel: Kernel,
  exchange: SimulatedExchange,
  { servers, wire }: { readonly servers: ReadonlyMap<string, Serve>; readonly wire: Process },
): RequestOperation {
  const { process, server, request } = exchange.carried;
  const serve = (anyway = false): void => {
    const found = servers.get(server);
    // Most servers do not execute requests of a client that has hung up.
    if (exchange.isLeft && !anyway) return;
    if (found === undefined) exchange.refuse(`connect ECONNREFUSED ${server}`);
    else found(exchange);
  };
  const operation: RequestOperation = {
    process,
    kind: "request",
    what: () => exchange.name,
    site: () => siteOf(request),
    server,
    request,
    isWrite: request.method !== "GET" && request.method !== "HEAD" && !request.path.includes("dryRun="),
    run: () => serve(),
    answer: (answer) => void exchange.send(answer),
    delay: (ms, anyway = false) => {
      kernel.post(anyway ? { ...operation, process: wire, run: () => serve(true) } : operation, ms);
    },
    reset: () => exchange.reset(),
    refuse: (why) => exchange.refuse(why),
    readdress: (path, headers) => exchange.readdress(path, headers),
    loseAnswer: () => {
      exchange.instead = () => {
        exchange.instead = undefined;
        exchange.reset();
      };
      serve();
    },
    replaceAnswer: (answer) => {
      exchange.instead = () => {
        exchange.instead = undefined;
        exchange.answeredWith = undefined;
        void exchange.send(answer);
      };
      serve();
    },
    runThen: (then) => {
      exchange.instead = then;
      serve();
    },
  };
  return operation;
}
