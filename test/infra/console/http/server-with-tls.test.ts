import { once } from "node:events";
import { constants } from "node:http2";
import { describe, expect, it } from "vitest";
import type { Reviewer } from "../../../../infra/worker/diagnostics/reviews.ts";
import { eventually } from "../../../support/eventually.ts";
import { answerOf, connectHttp2, HOST, serveSecureConsole } from "../../../support/secure-console.ts";
import { askAt } from "../../../support/tls-client.ts";

const WITHIN = { withinMs: 10_000, stepMs: 10 };

/** Every token is that of a person of this name, who may list Clusters anywhere. */
const REVIEWER: Reviewer = {
  review: async ({ kind }, spec) => ({
    status:
      kind === "TokenReview"
        ? { authenticated: true, user: { username: (spec as { readonly token: string }).token } }
        : { allowed: true },
  }),
};
const ANN = { authorization: "Bearer ann" };
const ME = { ":path": "/api/v1/me", ...ANN };

describe("a console over TLS", () => {
  it("speaks HTTP/2, and HTTP/1 to those who do not; both get the same", async () => {
    await using world = await serveSecureConsole({ reviewer: REVIEWER });
    using client = await connectHttp2(world.port, world.ca);
    expect(client.session.alpnProtocol).toBe("h2");
    const { status, headers, text } = await client.ask(ME);
    const old = await askAt(world.port, world.ca)({ path: ME[":path"], headers: { host: HOST, ...ANN } });
    expect([status, old.code]).toEqual([200, 200]);
    expect(JSON.parse(text)).toMatchObject({ user: "ann", by: "token" });
    expect(JSON.parse(old.text)).toEqual(JSON.parse(text));
    for (const name of ["content-security-policy", "etag", "cache-control", "x-frame-options", "vary"]) {
      expect(headers[name], name).toBeDefined();
      expect(headers[name], name).toBe(old.headers[name]);
    }
    const etag = { "if-none-match": headers.etag };
    expect(await client.ask({ ...ME, ...etag })).toMatchObject({ status: 304, text: "" });
    const session = await client.ask(
      {
        ...{ ":path": "/api/v1/session", ":method": "POST", ...ANN },
        ...{ "content-type": "application/json", "capstan-action": "1", "sec-fetch-site": "same-origin" },
      },
      "{}",
    );
    expect(session.status).toBe(200);
    const key = { "capstan-session": JSON.parse(session.text).session };
    expect(await client.ask({ ":path": "/api/v1/me", ...key })).toMatchObject({ status: 200 });
  });

  it("takes one Host in HTTP/2, too, and no foreign origin", async () => {
    await using world = await serveSecureConsole({ reviewer: REVIEWER });
    using client = await connectHttp2(world.port, world.ca);
    for (const [headers, reason] of [
      [{ ":authority": "evil.example.com" }, "ForeignHost"],
      [{ ":authority": `${HOST}.` }, "ForeignHost"],
      [{ ":authority": `localhost:${world.port}` }, "ForeignHost"],
      [{ host: "evil.example.com" }, "ForeignHost"],
      [{ ":authority": "evil.example.com", host: HOST }, "ForeignHost"],
      [{ origin: "https://evil.example.com" }, "ForeignPage"],
      [{ origin: `http://${HOST}` }, "ForeignPage"],
      [{ "sec-fetch-site": "cross-site" }, "ForeignPage"],
    ] as const) {
      const { status, text } = await client.ask({ ...ME, ...headers });
      expect([headers, status, JSON.parse(text).reason]).toEqual([headers, 403, reason]);
    }
    expect(await client.ask({ ...ME, ":method": "PUT" })).toMatchObject({ status: 405 });
    expect(await client.ask({ ...ME, origin: `https://${HOST}` })).toMatchObject({ status: 200 });
  });

  it("has more than six streams and answers at once on one connection, 100 at most", async () => {
    await using world = await serveSecureConsole({ reviewer: REVIEWER });
    using client = await connectHttp2(world.port, world.ca);
    await eventually(() => expect(client.session.remoteSettings.maxConcurrentStreams).toBe(100), WITHIN);
    const streams = Array.from({ length: 50 }, () =>
      client.open({ ...ME, ":path": "/api/v1/stream?topic=me" }),
    );
    for (const stream of streams) {
      const [headers] = await once(stream, "response");
      expect(headers).toMatchObject({ ":status": 200, "content-type": "text/event-stream" });
    }
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.ask(ME)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const one = await client.ask({ ...ME, ":path": "/api/v1/stream?topic=me" });
    expect(one).toMatchObject({ status: 503, headers: { "retry-after": "10" } });
    expect(JSON.parse(one.text).reason).toBe("TooManyStreams");
  });

  it("serves 200 streams of all persons, over either protocol, and answers beside them", async () => {
    await using world = await serveSecureConsole({ reviewer: REVIEWER });
    await using stack = new AsyncDisposableStack();
    const states: unknown[] = [];
    for (const person of ["a", "b", "c", "d", "e", "f"]) {
      const { open } = stack.use(await connectHttp2(world.port, world.ca));
      const asked = { ":path": "/api/v1/stream?topic=me", authorization: `Bearer ${person}` };
      for (let count = 0; count < 50; count += 1) {
        const [headers] = await once(open(asked), "response");
        states.push(headers[":status"]);
      }
    }
    expect([states.length, states.filter((status) => status === 200).length]).toEqual([300, 200]);
    expect(new Set(states.slice(200))).toEqual(new Set([503]));
    using client = await connectHttp2(world.port, world.ca);
    expect(await client.ask(ME)).toMatchObject({ status: 200 });
  });

  it("refuses a head of more than 16 KiB in either protocol, and serves the connection's other requests", async () => {
    await using world = await serveSecureConsole({ reviewer: REVIEWER });
    using client = await connectHttp2(world.port, world.ca);
    // Its settings, which the client has acknowledged with this request.
    expect(await client.ask(ME)).toMatchObject({ status: 200 });
    expect(client.session.remoteSettings.maxHeaderListSize).toBe(16_384);
    const large = { "x-large": "x".repeat(20_000) };
    const refused = await client.ask({ ...ME, ...large });
    expect(refused).toMatchObject({ status: undefined, code: constants.NGHTTP2_ENHANCE_YOUR_CALM });
    expect(await client.ask(ME)).toMatchObject({ status: 200 });
    const old = await askAt(world.port, world.ca)({ headers: { host: HOST, ...large } });
    expect(old.code).toBe(431);
  });

  it("ends the connection of a client that resets request after request, and serves others", async () => {
    await using world = await serveSecureConsole({ reviewer: REVIEWER });
    using client = await connectHttp2(world.port, world.ca);
    using other = await connectHttp2(world.port, world.ca);
    let sent = 0;
    while (!client.session.closed && !client.session.destroyed && sent < 5_000) {
      const stream = client.open(ME);
      await new Promise(setImmediate);
      stream.close(constants.NGHTTP2_CANCEL);
      sent += 1;
    }
    expect([client.session.closed || client.session.destroyed, sent < 5_000]).toEqual([true, true]);
    expect(await other.ask(ME)).toMatchObject({ status: 200 });
  });

  it("outlives clients that break off with an error, also while the data are opened", async () => {
    const opening = Promise.withResolvers<void>();
    await using world = await serveSecureConsole({ reviewer: REVIEWER, until: opening.promise });
    using client = await connectHttp2(world.port, world.ca);
    using gone = await connectHttp2(world.port, world.ca);
    const broken = client.open({ ...ME, ":method": "POST" }, false);
    broken.write("{");
    const waiting = client.ask(ME);
    gone.open(ME);
    broken.close(constants.NGHTTP2_INTERNAL_ERROR);
    gone.session.destroy();
    await eventually(() => expect(broken.closed).toBe(true), WITHIN);
    opening.resolve();
    expect(await waiting).toMatchObject({ status: 200 });
    expect(await client.ask(ME)).toMatchObject({ status: 200 });
    expect(world.lines.filter(({ message }) => message.startsWith("bug:"))).toEqual([]);
  });

  it("refuses a body that is too large before all of it has come, and serves the next request", async () => {
    await using world = await serveSecureConsole({ reviewer: REVIEWER });
    using client = await connectHttp2(world.port, world.ca);
    const stream = client.open(
      {
        ...{ ":path": "/api/v1/session", ":method": "POST", ...ANN },
        ...{ "content-type": "application/json", "capstan-action": "1", "sec-fetch-site": "same-origin" },
      },
      false,
    );
    stream.write("x".repeat(20_000));
    expect(await answerOf(stream)).toMatchObject({ status: 413, code: constants.NGHTTP2_NO_ERROR });
    expect(await client.ask(ME)).toMatchObject({ status: 200 });
  });

  it("cuts the stream of a reader that never reads, and only that", async () => {
    const reasons = Array.from({ length: 100 }, () => "x".repeat(4_000));
    const seenAt = "2026-01-01T00:00:00.000Z";
    const one = { role: "worker", version: "1.2.3", seenAt, ready: false, reasons, functions: [] };
    let connected = 0;
    const relay = async () => {
      connected += 1;
      return { processes: [{ id: `p${connected}`, ...one }], connections: [], connected };
    };
    await using world = await serveSecureConsole({ reviewer: REVIEWER, ports: { relay } });
    using client = await connectHttp2(world.port, world.ca);
    const path = { ":path": "/api/v1/stream?topic=relay", ...ANN };
    // That of a stream remains 64 KiB.
    client.session.setLocalWindowSize(16 * 1_024 * 1_024);
    const unread = client.open(path);
    await once(unread, "response");
    const read = client.open(path);
    let text = "";
    read.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    // Each message is larger than what may wait for a reader.
    for (let count = 1; count <= 14; count += 1) {
      await eventually(() => expect(text.split("\n\n").length - 1).toBe(count), WITHIN);
      await world.clock.advance(1_000);
    }
    unread.resume();
    await eventually(() => expect(unread.closed).toBe(true), WITHIN);
    expect(read.closed).toBe(false);
    expect(await client.ask(ME)).toMatchObject({ status: 200 });
  });
});
