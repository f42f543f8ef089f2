import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A network between a client and a server on loopback that a test can take away. */
export interface TcpProxy extends AsyncDisposable {
  /** The URL of the server, with the proxy's port. */
  readonly url: string;
  /**
   * `refused` breaks all connections and takes no new ones. `silent` is a black hole: nothing arrives any more, and
   * neither side is notified; connections of that time stay dead for ever.
   */
  cut(how: "refused" | "silent"): Promise<void>;
  /** New connections reach the server again. */
  mend(): Promise<void>;
  /** New connections reach another server; those to the one before stay, as behind a name or address that moves. */
  lead(url: string): void;
}

export async function startProxy(url: string): Promise<TcpProxy> {
  let target = new URL(url);
  const sockets = new Set<Socket>();
  let silent = false;
  let port = 0;
  let server: Server | undefined;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  };
  const join = (client: Socket): void => {
    keep(client);
    if (silent) return void client.resume();
    const upstream = connect(Number(target.port), target.hostname);
    keep(upstream);
    client.pipe(upstream).pipe(client);
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  };
  const listen = async (): Promise<void> => {
    server = createServer(join).listen(port, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
  };
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (server === undefined) return;
    const closed = once(server, "close");
    server.close();
    server = undefined;
    await closed;
  };
  await listen();
  const own = new URL(url);
  own.port = String(port);
  return {
    url: own.href.replace(/\/$/, ""),
    cut: async (how) => {
      silent = how === "silent";
      if (!silent) return close();
      for (const socket of sockets) socket.unpipe().resume();
    },
    mend: async () => {
      silent = false;
      if (server === undefined) await listen();
    },
    lead: (other) => {
      target = new URL(other);
    },
    [Symbol.asyncDispose]: close,
  };
}
