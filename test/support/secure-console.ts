import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import {
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from "node:http2";
import { join } from "node:path";
import { serveTestConsole, type TestConsoleOptions } from "./console.ts";
import { testFolder } from "./test-folder.ts";
import { newAuthority } from "./tls-files.ts";

/** Under which browsers open the console. */
export const HOST = "console.example.com";

/** A console beyond loopback, whose certificate is signed by `ca` for localhost. */
export async function serveSecureConsole(options: TestConsoleOptions = {}) {
  await using starting = new AsyncDisposableStack();
  const certDir = testFolder("console");
  const authority = await newAuthority();
  const { cert, key } = await authority.issue("server");
  await writeFile(join(certDir, "tls.crt"), cert);
  await writeFile(join(certDir, "tls.key"), key);
  const address = { host: undefined, port: 0 };
  const world = starting.use(
    await serveTestConsole({
      address,
      hostNames: [HOST],
      namespaces: async () => ["a", "b"],
      certDir,
      ...options,
    }),
  );
  const running = starting.move();
  return { ...world, ca: authority.cert, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Opens a connection of HTTP/2. Its requests name HOST where they name nothing else. */
export async function connectHttp2(port: number, ca: string) {
  const session = connect(`https://localhost:${port}`, { ca });
  session.on("error", () => undefined);
  await once(session, "connect");
  const open = (headers: OutgoingHttpHeaders, endStream = true): ClientHttp2Stream => {
    const stream = session.request({ ":authority": HOST, ...headers }, { endStream });
    stream.on("error", () => undefined);
    return stream;
  };
  const ask = async (headers: OutgoingHttpHeaders, body?: string) => {
    const stream = open(headers, body === undefined);
    if (body !== undefined) stream.end(body);
    return answerOf(stream);
  };
  return { session, open, ask, [Symbol.dispose]: () => session.destroy() };
}

/** Status, headers and text of an answer; `status` is undefined when the request was reset, with `code`. */
export async function answerOf(stream: ClientHttp2Stream) {
  let headers: (IncomingHttpHeaders & IncomingHttpStatusHeader) | undefined;
  stream.on("response", (found) => (headers = found));
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  // Its error says no more than its code.
  await new Promise<void>((resolve) => stream.on("error", () => undefined).on("close", resolve));
  return { status: headers?.[":status"], headers: headers ?? {}, text, code: stream.rstCode };
}
