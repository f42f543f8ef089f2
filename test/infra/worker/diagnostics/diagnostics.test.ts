import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect as connectTcp, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { beforeAll, describe, expect, it } from "vitest";
import { x509 } from "../../../../infra/platform/pki/x509.ts";
import { createMemoryQueue } from "../../../../infra/queue/backends/embedded/queue.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import type { Reviewer } from "../../../../infra/worker/diagnostics/reviews.ts";
import { observe } from "../../../../infra/worker/observe.ts";
import { virtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { recordingLog } from "../../../support/recording-log.ts";
import { testFolder } from "../../../support/test-folder.ts";
import { askAt, rawAnswer } from "../../../support/tls-client.ts";
import { newAuthority, type TestAuthority } from "../../../support/tls-files.ts";

const WITHIN = { withinMs: 10_000, stepMs: 20 };

let authority: TestAuthority;
let dir: string;
beforeAll(async () => {
  authority = await newAuthority();
  dir = testFolder("diagnostics");
  const { cert, key } = await authority.issue("server");
  await writeFile(join(dir, "tls.crt"), cert);
  await writeFile(join(dir, "tls.key"), key);
  await writeFile(join(dir, "ca.crt"), authority.cert);
});

/** Knows the tokens `of-NAME`; the user `scraper` may get /metrics. */
const REVIEWER: Reviewer = {
  review: async ({ kind }, spec) => {
    if (kind === "TokenReview") {
      const [, username] = /^of-(.*)$/.exec((spec as { token: string }).token) ?? [];
      return { status: username === undefined ? {} : { authenticated: true, user: { username } } };
    }
    const { user, nonResourceAttributes } = spec as {
      user: string;
      nonResourceAttributes: { path: string };
    };
    return { status: { allowed: user === "scraper" && nonResourceAttributes.path === "/metrics" } };
  },
};

async function serve(reviewer: Reviewer = REVIEWER) {
  await using starting = new AsyncDisposableStack();
  const clock = virtualClock();
  const { log, lines } = recordingLog();
  const observed = starting.use(
    await observe({
      diagnostics: {
        address: { host: "127.0.0.1", port: 0 },
        certDir: dir,
        clientCa: join(dir, "ca.crt"),
        reviewer,
      },
      functions: [],
      queue: starting.use(await createMemoryQueue({ clock })),
      history: async () => ({}),
      store: starting.use(createMemoryStore()),
      clock,
      log,
      version: "1.2.3",
      parts: { relay: false, worker: false },
    }),
  );
  const { diagnosticsPort: port = 0 } = observed;
  const running = starting.move();
  return {
    port,
    lines,
    ask: askAt(port, authority.cert),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

describe("diagnostics beyond loopback", () => {
  it("S-40: answer 401 without a token, 403 without the right, 200 with both", async () => {
    await using world = await serve();
    const none = await world.ask();
    expect(none).toMatchObject({ code: 401, headers: { "www-authenticate": "Bearer" } });
    for (const token of ["x", "", "of-scraper of-scraper", "a".repeat(5_000)]) {
      expect(await world.ask({ token }), token).toMatchObject({ code: 401 });
    }
    const basic = { authorization: `Basic ${btoa("scraper:of-scraper")}` };
    expect(await world.ask({ headers: basic })).toMatchObject({ code: 401 });
    expect(await world.ask({ token: "of-visitor" })).toMatchObject({
      code: 403,
      text: "visitor may not get /metrics: bind a ClusterRole with the verb get on this nonResourceURL\n",
    });
    expect(await world.ask({ token: "of-scraper", path: "/status" })).toMatchObject({ code: 403 });
    const metrics = await world.ask({ token: "of-scraper" });
    expect(metrics).toMatchObject({ code: 200 });
    expect(metrics.text).toContain("# TYPE workqueue_depth gauge");
    // The authority was made first, so it ends first.
    const ends = /^capstan_certificate_expiration_timestamp_seconds{certificate="diagnostics"} (.+)$/m;
    expect(1_000 * Number(ends.exec(metrics.text)?.[1])).toBe(
      x509.read(authority.cert)[0].notAfter.getTime(),
    );
    expect(JSON.stringify(world.lines)).not.toContain("of-scraper");
  });

  it("admit a client certificate of the authority, and no other one", async () => {
    await using world = await serve();
    const issued = await authority.issue("client");
    expect(await world.ask({ certificate: issued, path: "/status" })).toMatchObject({ code: 200 });
    const foreign = await newAuthority();
    for (const [certificate, why] of [
      [await authority.issue("client", { hours: -2 }), "CERT_HAS_EXPIRED"],
      [await foreign.issue("client"), "UNABLE_TO_"],
      [await authority.issue("server"), "INVALID_PURPOSE"],
      [foreign, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ] as const) {
      const { code, text } = await world.ask({ certificate });
      expect(code).toBe(401);
      expect(text).toContain(`the client certificate is not accepted (${why}`);
    }
    const expired = await authority.issue("client", { hours: -2 });
    expect(await world.ask({ certificate: expired, token: "of-scraper" })).toMatchObject({ code: 200 });
  });

  it("refuse all clients with tokens while the API server does not answer, and say so once", async () => {
    let away: boolean = true;
    await using world = await serve({
      review: async (...asked) => {
        if (away) throw new Error("create tokenreviews: connection refused");
        return REVIEWER.review(...asked);
      },
    });
    for (let count = 0; count < 2; count += 1) {
      expect(await world.ask({ token: "of-scraper" })).toMatchObject({ code: 503 });
    }
    expect(await world.ask({ certificate: await authority.issue("client") })).toMatchObject({ code: 200 });
    const warnings = world.lines.filter(({ level }) => level === "warn");
    expect(warnings.length).toBe(1);
    expect(warnings[0]?.message).toContain("system:auth-delegator");
    away = false;
    expect(await world.ask({ token: "of-scraper" })).toMatchObject({ code: 200 });
  });

  it("S-41: take GET of their pages only, as they are written", async () => {
    await using world = await serve();
    const token = "of-scraper";
    for (const method of ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"]) {
      expect(await world.ask({ token, method }), method).toMatchObject({ code: 405 });
    }
    for (const path of [
      "/",
      "//metrics",
      "/metrics/",
      "/x/../metrics",
      "/%6detrics",
      "/healthz",
      "/readyz",
    ]) {
      expect(await world.ask({ token, path }), path).toMatchObject({ code: 404 });
    }
    expect(await world.ask({ token, path: "https://evil.example/metrics" })).toMatchObject({ code: 404 });
    expect(await world.ask({ token, path: "/status?x=/metrics" })).toMatchObject({ code: 403 });
    expect(await world.ask({ token, path: "/metrics?x=/status" })).toMatchObject({ code: 200 });
  });

  it("refuse requests that a web page has caused, and two Host headers; a Host opens nothing", async () => {
    await using world = await serve();
    const certificate = await authority.issue("client");
    for (const [headers, code] of [
      [{ Origin: "https://evil.example" }, 403],
      [{ Origin: "null" }, 403],
      [{ "Sec-Fetch-Site": "same-origin" }, 403],
      [{ Host: "evil.example" }, 200],
    ] as const) {
      expect((await world.ask({ certificate, headers })).code, JSON.stringify(headers)).toBe(code);
    }
    expect((await world.ask({ headers: { Host: "127.0.0.1" } })).code).toBe(401);
    const twice = "Host: a\r\nHost: b\r\n\r\n";
    const client = { ...certificate, port: world.port, ca: authority.cert };
    expect(await rawAnswer(client, twice, "\r\n\r\n")).toMatch(/^HTTP\S+ 400/);
  });

  it("answer one request per connection, and resume no session", async () => {
    await using world = await serve();
    const { port } = world;
    const certificate = await authority.issue("client");
    const sessions: Buffer[] = [];
    const two = "Host: a\r\n\r\nGET /status HTTP/1.1\r\nHost: a\r\n\r\n";
    const text = await rawAnswer({ ...certificate, port, ca: authority.cert }, two, "HTTP/1.1 503", sessions);
    expect(text.match(/^HTTP\/1\.1 200/gm)?.length).toBe(1);
    expect(text).not.toContain('"version"');
    const [session] = sessions;
    const options = { host: "127.0.0.1", port, ca: authority.cert };
    const second = connectTls({ ...options, ...(session === undefined ? {} : { session }) });
    await once(second, "secureConnect");
    expect(second.isSessionReused()).toBe(false);
    second.destroy();
  });

  it("keep 64 connections at most, and serve again once they are gone", async () => {
    await using world = await serve();
    const { port } = world;
    const sockets: Socket[] = [];
    let ended = 0;
    for (let count = 0; count < 300; count += 1) {
      const socket = connectTcp(port, "127.0.0.1");
      socket
        .on("error", () => undefined)
        .on("close", () => (ended += 1))
        .resume();
      sockets.push(socket);
    }
    await eventually(() => expect(ended).toBe(300 - 64), WITHIN);
    for (const socket of sockets) socket.destroy();
    await eventually(async () => expect((await world.ask()).code).toBe(401), WITHIN);
  });

  it("names the address that is taken", async () => {
    await using world = await serve();
    const { port } = world;
    const clock = virtualClock();
    await using queue = await createMemoryQueue({ clock });
    await using store = createMemoryStore();
    const { log } = recordingLog();
    const second = observe({
      diagnostics: { address: { host: "127.0.0.1", port }, reviewer: REVIEWER },
      ...{ functions: [], queue, store, clock, log, version: "1", history: async () => ({}) },
      parts: { relay: false, worker: false },
    });
    await expect(second).rejects.toThrow(`cannot serve diagnostics at 127.0.0.1:${port}: listen EADDRINUSE`);
  });
});
