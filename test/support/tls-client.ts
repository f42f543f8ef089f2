import { once } from "node:events";
import { request } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import type { Credentials } from "../../infra/platform/pki/pki.ts";

interface Ask {
  readonly path?: string;
  readonly method?: string;
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly certificate?: Credentials;
  readonly body?: string;
}

/** Asks a TLS server on loopback whose authority is `ca`, each time on a new connection. */
export function askAt(port: number, ca: string) {
  return async ({ path = "/metrics", method = "GET", token, headers = {}, certificate, body }: Ask = {}) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const options = {
      host: "127.0.0.1",
      port,
      path,
      method,
      ca,
      agent: false,
      servername: "localhost",
      ...certificate,
    };
    const sent = request({ ...options, headers: { ...authorization, ...headers } });
    sent.end(body);
    const [answer] = await once(sent, "response");
    let text = "";
    for await (const chunk of answer) text += chunk;
    return { code: answer.statusCode as number, text, headers: answer.headers as NodeJS.Dict<string> };
  };
}

/** Sends `GET /metrics` with these headers as they are; returns the answer until it contains `end`. */
export async function rawAnswer(
  client: Credentials & { readonly port: number; readonly ca: string },
  headers: string,
  end: string,
  sessions: Buffer[] = [],
): Promise<string> {
  const socket: TLSSocket = connect({ host: "127.0.0.1", ...client });
  socket.on("session", (session) => sessions.push(session));
  socket.write(`GET /metrics HTTP/1.1\r\n${headers}`);
  let text = "";
  for await (const chunk of socket) {
    text += chunk;
    if (text.includes(end)) break;
  }
  return text;
}
