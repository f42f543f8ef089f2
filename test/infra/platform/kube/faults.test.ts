import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer, type Server } from "../../../../infra/platform/kube/client.ts";
import type { Clock, KubeClient } from "../../../../shared/runtime/ports.ts";
import { virtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import {
  answer,
  bytes,
  bytesAndEnd,
  cut,
  type Play,
  type RawServer,
  silence,
  startRawServer,
} from "../../../support/processes/raw-server.ts";
import { Thing } from "../../../support/thing.ts";

const key = { namespace: "default", name: "a" };
const thing = {
  apiVersion: "things.example/v1",
  kind: "Thing",
  metadata: { ...key, uid: "u", resourceVersion: "5" },
};
const unsafe: readonly [string, (client: KubeClient) => Promise<unknown>][] = [
  ["create", (client) => client.create(Thing, thing)],
  ["patch", (client) => client.jsonPatch(Thing, key, [{ op: "test", path: "/metadata/uid", value: "u" }])],
  ["delete", (client) => client.delete(Thing, key, { uid: "u" })],
];

interface World extends AsyncDisposable {
  readonly raw: RawServer;
  readonly server: Server;
  readonly client: KubeClient;
}

async function world(plays: readonly [Play, ...Play[]], clock: Clock = systemClock): Promise<World> {
  const stack = new AsyncDisposableStack();
  const raw = stack.use(await startRawServer(...plays));
  const server = stack.use(createServer({ server: raw.url }, { clock }));
  const client = server.as("pool-nodes");
  return { raw, server, client, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Every connection of the client is closed; the server saw it happen. */
async function expectNoSocket({ raw, server }: World): Promise<void> {
  server[Symbol.dispose]();
  await eventually(() => raw.open === 0, { withinMs: 5_000 });
}

const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

describe("an answer that is lost", () => {
  it.each(unsafe)("leaves a %s unrepeated: it may have been done (KC-07)", async (_verb, send) => {
    await using w = await world([cut]);
    await expect(send(w.client)).rejects.toMatchObject({
      name: "KubeError",
      class: "Transient",
      reason: "NoAnswer",
      status: 0,
    });
    expect(w.raw.requests).toHaveLength(1);
    await expectNoSocket(w);
  });

  it.each([
    ["get", (client: KubeClient) => client.get(Thing, key)],
    ["apply", (client: KubeClient) => client.apply(Thing, key, { spec: {} })],
  ] as const)("makes a %s be sent once more, not more often", async (_verb, send) => {
    await using once = await world([cut, answer(thing)]);
    expect(await send(once.client)).toMatchObject({ kind: "Thing" });
    await using always = await world([cut]);
    await expect(send(always.client)).rejects.toMatchObject({ reason: "NoAnswer" });
    expect(always.raw.requests).toHaveLength(2);
    await expectNoSocket(always);
  });

  it("is not found on a connection that went idle and was closed by the server", async () => {
    await using w = await world([answer(thing), (socket) => void socket.resetAndDestroy(), answer(thing)]);
    await w.client.get(Thing, key);
    expect(await w.client.get(Thing, key)).toMatchObject({ kind: "Thing" });
  });
});

describe("an answer that is damaged", () => {
  const damaged: readonly [string, Play, string][] = [
    ["ends in the middle of its body", bytesAndEnd(`${head}Content-Length: 100\r\n\r\n{"kind":`), "NoAnswer"],
    [
      "ends in the middle of a chunk",
      bytesAndEnd(`${head}Transfer-Encoding: chunked\r\n\r\n50\r\n{"kind":`),
      "NoAnswer",
    ],
    [
      "is longer than its Content-Length",
      bytes(`${head}Content-Length: 8\r\n\r\n${JSON.stringify(thing)}`),
      "Undecodable",
    ],
    ["has no body", bytes(`${head}Content-Length: 0\r\n\r\n`), "Undecodable"],
    ["is not HTTP", bytesAndEnd("SSH-2.0-OpenSSH_9.6\r\n"), "NoAnswer"],
    [
      "has a chunk size that is not a number",
      bytes(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
      "NoAnswer",
    ],
    ["has headers without end", bytes(`${head}X-Long: ${"x".repeat(100_000)}\r\n\r\n{}`), "NoAnswer"],
    [
      "switches protocols",
      bytes("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
      "NoAnswer",
    ],
    [
      "claims to be gzip",
      bytes(`${head}Content-Encoding: gzip\r\nContent-Length: 8\r\n\r\n{"kind":`),
      "NoAnswer",
    ],
  ];
  it.each(damaged)("and %s fails the write, which is sent once", async (_what, play, reason) => {
    await using w = await world([play]);
    const patch = w.client.jsonPatch(Thing, key, [{ op: "remove", path: "/spec/a" }]);
    await expect(patch).rejects.toMatchObject({ name: "KubeError", class: "Transient", status: 0, reason });
    expect(w.raw.requests).toHaveLength(1);
    await expectNoSocket(w);
  });

  it("does no harm to the request after it", async () => {
    await using w = await world([
      bytes(`${head}Content-Length: 8\r\n\r\n${JSON.stringify(thing)}`),
      answer(thing),
    ]);
    await expect(w.client.get(Thing, key)).rejects.toMatchObject({ reason: "Undecodable" });
    expect(await w.client.get(Thing, key)).toMatchObject({ metadata: { uid: "u" } });
  });

  it("is cut off where it is too long, whatever it claims (S-14)", async () => {
    const endless: Play = (socket) => {
      const chunk = Buffer.alloc(1024 * 1024, " ");
      const more = (error?: Error | null): void => {
        if (error === undefined || error === null) socket.write(chunk, more);
      };
      socket.write(`${head}\r\n`, more);
    };
    await using w = await world([endless]);
    await expect(w.client.get(Thing, key)).rejects.toMatchObject({ reason: "TooLarge" });
    await eventually(() => w.raw.open === 0, { withinMs: 5_000 });
    expect(w.raw.requests).toHaveLength(1);
  });
});

describe("a server that takes its time", () => {
  /** One byte of a body for every 100 ms of the clock. */
  function dripping(clock: Clock): Play {
    return (socket) => {
      const drip = (): void => {
        if (socket.destroyed) return;
        socket.write(" ");
        clock.after(100, drip);
      };
      socket.write(`${head}Content-Length: 100000\r\n\r\n`, drip);
    };
  }

  it.each([
    ["says nothing", () => silence],
    ["sends its answer byte by byte", dripping],
    ["stops within the headers", () => bytes("HTTP/1.1 200 OK\r\nContent-Ty")],
  ] as const)("and %s is given up at the deadline of 10 s (KC-05)", async (_what, play) => {
    const clock = virtualClock();
    await using w = await world([play(clock)], clock);
    const patch = w.client.jsonPatch(Thing, key, [{ op: "remove", path: "/spec/a" }]);
    const failed = expect(patch).rejects.toMatchObject({
      reason: "NoAnswer",
      message: expect.stringContaining("not within 10000 ms"),
    });
    await eventually(() => w.raw.requests.length === 1, { withinMs: 5_000 });
    await clock.advance(10_000);
    await failed;
    expect(w.raw.requests).toHaveLength(1);
    await eventually(() => w.raw.open === 0, { withinMs: 5_000 });
    expect(clock.pending).toBeLessThanOrEqual(1);
  });

  it("has 60 s for a list", async () => {
    const clock = virtualClock();
    await using w = await world([silence], clock);
    const list = w.client.list(Thing, {});
    const failed = expect(list).rejects.toMatchObject({ reason: "NoAnswer" });
    await eventually(() => w.raw.requests.length === 1, { withinMs: 5_000 });
    await clock.advance(59_000);
    expect(w.raw.open).toBe(1);
    await clock.advance(1_000);
    await failed;
  });
});

describe("connections (KC-10)", () => {
  it("are at most eight for requests, kept for the next ones; watches have their own", async () => {
    await using w = await world([answer(thing)]);
    await Promise.all(Array.from({ length: 100 }, () => w.client.get(Thing, key)));
    expect(w.raw.peak).toBeLessThanOrEqual(8);
    const before = w.raw.peak;
    await Promise.all(Array.from({ length: 100 }, () => w.client.get(Thing, key)));
    expect(w.raw.peak).toBe(before);
    await expectNoSocket(w);
  });

  it("of open watches do not keep requests from being sent", async () => {
    const watch = bytes(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    const plays = Array.from({ length: 12 }, () => watch);
    await using w = await world([watch, ...plays, answer(thing)]);
    const abort = new AbortController();
    const options = { resourceVersion: "1", timeoutSeconds: 300 };
    const watches = Array.from({ length: 13 }, async () => {
      for await (const _ of w.server.as("relay").watch(Thing, options, abort.signal));
    });
    const ended = Promise.allSettled(watches);
    await eventually(() => w.raw.requests.length === 13, { withinMs: 5_000 });
    expect(await w.client.get(Thing, key)).toMatchObject({ kind: "Thing" });
    abort.abort();
    await ended;
    await expectNoSocket(w);
  });
});
