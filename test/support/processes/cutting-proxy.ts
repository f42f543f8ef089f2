import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a server on which answers can be lost. It knows bytes only, so TLS goes through it. */
export interface CuttingProxy extends AsyncDisposable {
  /** The same server, through the proxy. */
  readonly url: URL;
  /** The next answer does not arrive: its connection is reset as soon as the server has begun to send it. */
  cutNextAnswer(): void;
  readonly cuts: number;
}

export async function startCuttingProxy(server: URL): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let cutting = false;
  let cuts = 0;
  const proxy = createServer((client) => {
    const upstream = connect(Number(server.port), server.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on("data", (chunk) => {
      if (!cutting) {
        client.write(chunk);
        return;
      }
      cutting = false;
      cuts += 1;
      client.resetAndDestroy();
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = new URL(server);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url,
    cutNextAnswer() {
      cutting = true;
    },
    get cuts() {
      return cuts;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
