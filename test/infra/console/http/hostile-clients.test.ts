import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, it } from "vitest";
import { serveTestConsole } from "../../../support/console.ts";
import { eventually } from "../../../support/eventually.ts";
import { connectHttp2, HOST, serveSecureConsole } from "../../../support/secure-console.ts";

/** The server ends the slowest of them after 30 s. */
const WITHIN = { withinMs: 120_000, stepMs: 200 };
const TRICKLE_MS = 500;

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const SETTINGS = frame(4, 0, 0, Buffer.alloc(0));
/** The first byte of a head that has more, `:method: GET`. */
const HALF_HEAD = frame(1, 0, 1, Buffer.from([0x82]));
const TYPE_CONTINUATION = 9;

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Sends the first bytes, then one `drop` after the other; returns whether the server has ended the connection. */
function slowly(socket: Socket, first: Buffer | string, drop?: Buffer | string) {
  const state = { ended: false };
  const timer = setInterval(() => drop !== undefined && socket.writable && socket.write(drop), TRICKLE_MS);
  socket
    .on("error", () => undefined)
    .on("close", () => {
      state.ended = true;
      clearInterval(timer);
    })
    .resume();
  socket.write(first);
  return { state, [Symbol.dispose]: () => void socket.destroy() };
}

describe("a client that is slow on purpose", () => {
  it("is ended by the console on loopback, whatever part of a request it sends for ever", async () => {
    await using world = await serveTestConsole();
    const host = `Host: 127.0.0.1:${world.port}\r\n`;
    const json = "Content-Type: application/json\r\nCapstan-Action: 1\r\nSec-Fetch-Site: same-origin\r\n";
    const connect = () => connectTcp(world.port, "127.0.0.1");
    using silent = slowly(connect(), "");
    using head = slowly(connect(), `GET / HTTP/1.1\r\n${host}`, "X-A: b\r\n");
    using body = slowly(
      connect(),
      `POST /api/v1/session HTTP/1.1\r\n${host}${json}Content-Length: 900\r\n\r\n{`,
      " ",
    );
    for (const { state } of [silent, head, body]) {
      await eventually(() => expect(state.ended).toBe(true), WITHIN);
    }
    expect(await world.ask("/api/v1/me")).toMatchObject({ status: 401 });
  });

  it("is ended by the console over TLS in either protocol, and in the handshake", async () => {
    await using world = await serveSecureConsole();
    const connect = (protocol: string) =>
      connectTls({ port: world.port, servername: "localhost", ca: world.ca, ALPNProtocols: [protocol] });
    using handshake = slowly(connectTcp(world.port, "127.0.0.1"), "");
    using oldHead = slowly(connect("http/1.1"), `GET / HTTP/1.1\r\nHost: ${HOST}\r\n`, "X-A: b\r\n");
    using silent = slowly(connect("h2"), "");
    using head = slowly(connect("h2"), Buffer.concat([PREFACE, SETTINGS, HALF_HEAD]));
    using endless = slowly(
      connect("h2"),
      Buffer.concat([PREFACE, SETTINGS, HALF_HEAD]),
      frame(TYPE_CONTINUATION, 0, 1, Buffer.from([0x86])),
    );
    using client = await connectHttp2(world.port, world.ca);
    const body = client.open(
      {
        ...{ ":path": "/api/v1/session", ":method": "POST", authorization: "Bearer ann" },
        ...{ "content-type": "application/json", "capstan-action": "1", "sec-fetch-site": "same-origin" },
      },
      false,
    );
    const timer = setInterval(() => body.writable && body.write(" "), TRICKLE_MS);
    using _timer = { [Symbol.dispose]: () => clearInterval(timer) };
    for (const [name, { state }] of Object.entries({ handshake, oldHead, silent, head, endless })) {
      await eventually(() => expect([name, state.ended]).toEqual([name, true]), WITHIN);
    }
    await eventually(() => expect(body.closed).toBe(true), WITHIN);
    using other = await connectHttp2(world.port, world.ca);
    expect(await other.ask({ ":path": "/api/v1/me" })).toMatchObject({ status: 401 });
  });
});
