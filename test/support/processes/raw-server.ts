import { type AddressInfo, createServer, type Socket } from "node:net";

/** Action of a server on a connection once a whole request has arrived. */
export type Play = (socket: Socket) => void;

/** A server of bytes: it can break HTTP in every way. Each request takes the next play; the last one stays. */
export interface RawServer extends AsyncDisposable {
  readonly url: URL;
  /** First lines of the requests: `GET /api/v1/nodes/a HTTP/1.1`. */
  readonly requests: readonly string[];
  /** Connections that are open now. */
  readonly open: number;
  /** The most that were open at once. */
  readonly peak: number;
}

export async function startRawServer(...plays: readonly [Play, ...Play[]]): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const script = [...plays];
  let peak = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    peak = Math.max(peak, sockets.size);
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      for (let end = endOfRequest(received); end > 0; end = endOfRequest(received)) {
        requests.push(received.slice(0, received.indexOf("\r\n")));
        received = received.slice(end);
        const play = script.length > 1 ? script.shift() : script[0];
        play?.(socket);
      }
    });
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    requests,
    get open() {
      return sockets.size;
    },
    get peak() {
      return peak;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Where the first whole request ends; 0 while it is not whole. */
function endOfRequest(received: string): number {
  const head = received.indexOf("\r\n\r\n");
  if (head < 0) return 0;
  const length = Number(/content-length: (\d+)/i.exec(received.slice(0, head))?.[1] ?? 0);
  const end = head + 4 + length;
  return received.length >= end ? end : 0;
}

/** These bytes, and nothing more. */
export function bytes(text: string): Play {
  return (socket) => void socket.write(text);
}

/** These bytes, then the end of the connection. */
export function bytesAndEnd(text: string): Play {
  return (socket) => void socket.end(text);
}

/** A whole answer of JSON. */
export function answer(body: object, status = "200 OK"): Play {
  const text = JSON.stringify(body);
  return bytes(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
}

/** The request is done, its answer lost: the connection is reset. */
export const cut: Play = (socket) => void socket.resetAndDestroy();

export const silence: Play = () => undefined;
